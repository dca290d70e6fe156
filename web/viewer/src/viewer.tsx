import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { SHARE_VIEWER } from "#texts/share-viewer.ts";
import type { SharedCameraList } from "../../../client/src/index.ts";
import { Archive } from "../../archive/archive.ts";
import { ArchiveView } from "../../archive/archive.tsx";
import { Days } from "../../archive/days.tsx";
import { GapTable, type Panel } from "../../archive/panels.tsx";
import { LATEST } from "../../archive/port.ts";
import { Trouble } from "../../archive/trouble.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useLooks } from "../../ui/looking.ts";
import { Toasts } from "../../ui/notice.tsx";
import { readHash, WALL, writeHash } from "./address.ts";
import { Brand } from "./brand.tsx";
import { REFRESH_MS } from "./latest.ts";
import type { Link, SharedCamera } from "./link.ts";
import { Tabs } from "./tabs.tsx";
import { Wall } from "./wall.tsx";

const PANELS: readonly Panel[] = [
  { name: "days", label: ARCHIVE.panels.days, icon: "calendar", View: Days },
  { name: "gaps", label: ARCHIVE.panels.gaps, icon: "gap", View: GapTable },
];

/** A short text, and the next step. */
function Sentence({ title, help }: { title: string; help: string }) {
  return (
    <main class="sentence">
      <h1>{title}</h1>
      <p>{help}</p>
    </main>
  );
}

/** Asks for the passcode of the link. */
function Locked({ link }: { link: Link }) {
  const text = SHARE_VIEWER.passcode;
  return (
    <main class="sentence locked">
      <h1>{text.title}</h1>
      <Form send={text.send} failed={text.failed} onSend={(values) => link.unlock(values("passcode"))}>
        <Field
          label={text.label}
          name="passcode"
          type="password"
          autocomplete="off"
          help={text.help}
          required
          autofocus
        />
      </Form>
    </main>
  );
}

/** The contents of the link. */
export function Viewer({ link }: { link: Link }) {
  const shown = link.shown.value;
  useEffect(() => {
    document.title = shown?.name ?? SHARE_VIEWER.title;
  }, [shown?.name]);
  const state = link.state.value;
  if (state === "incomplete") return <Sentence title={SHARE_VIEWER.incomplete} help={SHARE_VIEWER.incompleteHelp} />;
  if (state === "ended") return <Sentence title={SHARE_VIEWER.ended} help={SHARE_VIEWER.endedHelp} />;
  if (state === "locked") return <Locked link={link} />;
  if (shown === null)
    return (
      <main class="sentence">
        <div role="status">
          {link.trouble.value === null ? SHARE_VIEWER.opening : <Trouble error={link.trouble.value} />}
        </div>
      </main>
    );
  if (shown.cameras.length === 0) return <Sentence title={SHARE_VIEWER.empty} help={SHARE_VIEWER.emptyHelp} />;
  return <Open link={link} shown={shown} />;
}

function Open({ link, shown }: { link: Link; shown: SharedCameraList }) {
  const chosen = useSignal(readHash().cameraId);
  const panel = useSignal(readHash().panel);
  const camera = shown.cameras.find(({ id }) => id === chosen.value) ?? shown.cameras[0];
  useEffect(() => {
    const follow = () => {
      const { cameraId, panel: open } = readHash();
      chosen.value = cameraId;
      panel.value = open;
    };
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, [chosen, panel]);
  useSignalEffect(() => writeHash({ ...readHash(), panel: panel.value }, false));
  if (camera === undefined) return null;
  const isWall = chosen.value === WALL && shown.cameras.length > 1;
  const choose = (id: string) => {
    if (id === (isWall ? WALL : camera.id)) return void link.check();
    chosen.value = id;
    writeHash({ ...LATEST, token: readHash().token, cameraId: id, panel: panel.peek() }, true);
    void link.check();
  };
  return (
    <div class="viewer">
      <header class="viewer-head">
        <div class="titles">
          {shown.brand !== null && <Brand link={link} brand={shown.brand} />}
          <h1 title={shown.name}>{shown.name}</h1>
        </div>
        {!isWall && (
          <div class="choice">
            {shown.cameras.length > 1 && (
              <button
                type="button"
                class="btn icon-only"
                aria-label={SHARE_VIEWER.all}
                title={SHARE_VIEWER.all}
                onClick={() => choose(WALL)}
              >
                <Icon name="grid" />
              </button>
            )}
            <Tabs link={link} cameras={shown.cameras} chosen={camera.id} onChoose={choose} />
          </div>
        )}
        <ThemeButton />
      </header>
      {link.trouble.value !== null && (
        <div class="thinline" role="status">
          <Icon name="offline" />
          <span>
            <Trouble error={link.trouble.value} />
          </span>
        </div>
      )}
      <main>
        {isWall ? (
          <Wall link={link} cameras={shown.cameras} onChoose={choose} />
        ) : (
          <div id="archive" role="tabpanel" aria-label={camera.name}>
            <CameraArchive key={camera.id} link={link} camera={camera} panel={panel} />
          </div>
        )}
      </main>
      <Toasts />
    </div>
  );
}

function ThemeButton() {
  const toggle = () => {
    const root = document.documentElement;
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const present = root.dataset.theme ?? (isDark ? "dark" : "light");
    root.dataset.theme = present === "dark" ? "light" : "dark";
  };
  return (
    <button
      type="button"
      class="btn bare icon-only theme"
      aria-label={SHARE_VIEWER.theme}
      title={SHARE_VIEWER.theme}
      onClick={toggle}
    >
      <Icon name="theme" />
    </button>
  );
}

function CameraArchive(props: { link: Link; camera: SharedCamera; panel: Signal<string | null> }) {
  const { link, camera, panel } = props;
  const archive = useMemo(() => {
    const { token: _, cameraId, ...state } = readHash();
    return new Archive({
      port: link.port(camera.id),
      camera,
      address: cameraId === camera.id ? state : LATEST,
      onAddress: (at, push) => writeHash({ ...readHash(), cameraId: camera.id, ...at }, push),
    });
  }, [link, camera.id]);
  useEffect(() => {
    archive.camera.value = camera;
  }, [archive, camera]);
  useEffect(() => {
    void archive.open();
    const follow = () => {
      const { token: _, cameraId, ...state } = readHash();
      if (cameraId === camera.id) archive.follow(state);
    };
    addEventListener("popstate", follow);
    return () => {
      removeEventListener("popstate", follow);
      archive.dispose();
    };
  }, [archive, camera.id]);
  useLooks(REFRESH_MS, () => void archive.refresh());
  useSignalEffect(() => {
    if (archive.attempts.refusal.value !== null) void link.check();
  });
  return <ArchiveView archive={archive} panels={PANELS} open={panel} />;
}
