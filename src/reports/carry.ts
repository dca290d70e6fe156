import { carried, ownedBy, through } from "../platform/db/carry/declare";
import {
  reportChanges,
  reportImages,
  reportJobs,
  reportPartials,
  reportRoomMembers,
  reports,
  reportTemplateRevisions,
  reportTemplates,
} from "./tables";

/** Who is in a room: a move carries it, because the room goes on. Only people whose copies move too. */
export const movedRooms = carried(reportRoomMembers, {
  parent: {
    ...through("reports", "report_id").parent,
    where: (workspace) => `parent.tenant_id = ${workspace} AND (row.user_id = ${workspace}
      OR EXISTS (SELECT 1 FROM memberships WHERE organization_id = ${workspace} AND user_id = row.user_id)
      OR EXISTS (SELECT 1 FROM grants WHERE tenant_id = ${workspace} AND user_id = row.user_id))`,
  },
});

export const reportsTables = [
  carried(reportPartials, { ...ownedBy("organization_id"), follows: ["source"], slice: 20 }),
  carried(reportTemplates, {
    ...ownedBy("tenant_id"),
    slice: 20,
  }),
  carried(reportTemplateRevisions, {
    ...through("report_templates", "template_id"),
    follows: ["html_layout_template", "css_stylesheet_template", "content_template_json"],
    slice: 20,
  }),
  carried(reports, { ...ownedBy("tenant_id"), slice: 10 }),
  carried(reportJobs, { ...through("reports", "report_id"), key: ["row.id"], follows: ["snapshot"], slice: 10 }),
  carried(reportImages, through("documents", "document_id")),
  carried(reportChanges, { ...through("reports", "report_id"), follows: ["delta"], slice: 50 }),
];
