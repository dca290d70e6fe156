import { useEffect, useRef } from "preact/hooks";
import { dateFormat } from "#texts/language.ts";
import { BRANDING } from "#texts/settings.ts";
import type { Branding } from "../../../../client/src/index.ts";
import { partsOf } from "../../../ui/colour.ts";
import { session } from "../platform/session.ts";
import { type Draft, usePicture } from "./branding-draft.ts";

/** The form of dates in a report without a language. */
const date = dateFormat({ dateStyle: "long" });

/** The first page of a report with the values of the form. */
export function Sample({ draft, read }: { draft: Draft; read: Branding }) {
  const text = BRANDING;
  const cover = useRef<HTMLDivElement>(null);
  const logo = usePicture(read.organizationId, "logo", read.logo, "small");
  const banner = usePicture(read.organizationId, "banner", read.banner, "medium");
  const { primaryColor, accentColor } = draft;
  useEffect(() => {
    const style = cover.current?.style;
    for (const [name, value] of [
      ["--primary", primaryColor],
      ["--second", accentColor],
    ] as const)
      style?.setProperty(name, partsOf(value) === null ? null : value);
  }, [primaryColor, accentColor]);
  const name = draft.brandName.trim() || read.organizationName;
  return (
    <section class="sample" aria-labelledby="sample-title">
      <div>
        <h2 id="sample-title">{text.sample}</h2>
        <p class="small muted">{text.sampleHelp}</p>
      </div>
      <div class="cover" ref={cover}>
        <div class="banner">{banner && <img src={banner} alt="" />}</div>
        <div class="in">
          <div class="row">
            {logo && <img class="logo" src={logo} alt="" />}
            <p class="grow">
              <b class="who">{name}</b>
              {draft.slogan && <span class="slogan">{draft.slogan}</span>}
            </p>
          </div>
          <p class="headline">{text.report.title}</p>
          <p class="small place">{text.report.place}</p>
          <dl>
            <div>
              <dt>{text.report.date}</dt>
              <dd class="nums">{date(new Date())}</dd>
            </div>
            <div>
              <dt>{text.report.by}</dt>
              <dd>{session.value?.user.displayName}</dd>
            </div>
          </dl>
        </div>
      </div>
    </section>
  );
}
