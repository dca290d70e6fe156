import { useState } from "preact/hooks";
import { REPORTS } from "#texts/reports.ts";
import type { ReportSummary } from "../../../../client/src/index.ts";
import { reportPath } from "../../../../src/platform/paths.ts";
import { IconButton } from "../../../ui/buttons.tsx";
import { CardTable } from "../../../ui/card-table.tsx";
import { Cancel, Confirm, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { deleteReport, renameReport } from "./read.ts";

/** Whether a report has a PDF, and whether the PDF shows the current draft. */
function stateOf({ latestPdf, updatedAtUtc }: ReportSummary): string {
  if (latestPdf === null) return REPORTS.draft;
  return updatedAtUtc > latestPdf.generatedAtUtc
    ? REPORTS.changedSince(latestPdf.version)
    : REPORTS.pdf(latestPdf.version);
}

/** The window that renames a report. */
export function RenameReport(props: { reportId: string; title: string; onClose: () => void; onDone: () => void }) {
  const { reportId, title, onClose, onDone } = props;
  return (
    <Dialog title={REPORTS.renameTitle} onClose={onClose}>
      <Form
        send={REPORTS.renameSend}
        failed={REPORTS.renameFailed}
        onSend={async (value) => {
          await renameReport(reportId, value("title"));
          onClose();
          onDone();
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field label={REPORTS.name} name="title" defaultValue={title} required maxLength={200} autofocus />
      </Form>
    </Dialog>
  );
}

interface RowProps {
  report: ReportSummary;
  /** Whether the name of the location is shown. */
  placed: boolean;
  writable: boolean;
  reload: () => void;
}

function Row({ report, placed, writable, reload }: RowProps) {
  const { id, title, templateName, locationName, createdByName, updatedAtUtc } = report;
  const [asking, setAsking] = useState<"rename" | "delete" | null>(null);
  const close = () => setAsking(null);
  const where = placed && locationName !== null ? `${templateName} · ${locationName}` : templateName;
  return (
    <tr>
      <td>
        <span class="row">
          <Icon name="report" />
          <span class="grow">
            <a href={reportPath(id)}>{title}</a>
            <span class="under small muted">{where}</span>
            <span class="phone-only xs muted nums">
              {stateOf(report)} · {timeOf(updatedAtUtc)}
            </span>
          </span>
        </span>
      </td>
      <td class="nums">{stateOf(report)}</td>
      <td>{createdByName ?? REPORTS.deletedPerson}</td>
      <td class="nums">
        <time dateTime={updatedAtUtc}>{timeOf(updatedAtUtc)}</time>
      </td>
      <td class="actions">
        {writable && (
          <>
            <IconButton icon="pen" label={REPORTS.rename(title)} onPress={() => setAsking("rename")} />
            <IconButton icon="trash" label={REPORTS.remove(title)} onPress={() => setAsking("delete")} />
          </>
        )}
        {asking === "rename" && <RenameReport reportId={id} title={title} onClose={close} onDone={reload} />}
        {asking === "delete" && (
          <Confirm
            title={REPORTS.removeTitle}
            help={REPORTS.removeHelp(title)}
            send={REPORTS.removeSend}
            failed={REPORTS.removeFailed}
            onSend={() => deleteReport(report, reload)}
            onClose={close}
          />
        )}
      </td>
    </tr>
  );
}

/** A table of reports. `mayWrite` says whether the person may rename and delete the reports of a location. */
export function ReportTable(props: {
  reports: readonly ReportSummary[];
  placed: boolean;
  mayWrite: (locationId: string) => boolean;
  reload: () => void;
}) {
  const { columns } = REPORTS;
  return (
    <CardTable
      title={REPORTS.title}
      columns={[columns.title, columns.state, columns.who, columns.changed]}
      actions={columns.actions}
    >
      {props.reports.map((report) => (
        <Row
          key={report.id}
          report={report}
          placed={props.placed}
          writable={props.mayWrite(report.locationId)}
          reload={props.reload}
        />
      ))}
    </CardTable>
  );
}
