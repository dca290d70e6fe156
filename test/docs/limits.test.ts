import { expect, test } from "vitest";
import page from "../../docs/reference/limits.md?raw";
import * as access from "../../src/access/limits";
import * as administration from "../../src/administration/limits";
import * as branding from "../../src/branding/limits";
import * as cameras from "../../src/cameras/limits";
import * as documents from "../../src/documents/limits";
import * as hub from "../../src/hub/limits";
import * as notifications from "../../src/notifications/limits";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../src/platform/db/cursor";
import { IDEMPOTENCY_RETENTION_MS } from "../../src/platform/http/idempotency";
import { MAX_JSON_BODY_BYTES } from "../../src/platform/http/middleware";
import type { RateLimit } from "../../src/platform/http/rate-limit";
import { MAX_PUT_BYTES } from "../../src/platform/objects/endpoint";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/platform/time";
import * as reports from "../../src/reports/limits";
import * as search from "../../src/search/limits";
import * as uploads from "../../src/uploads/limits";
import * as workspace from "../../src/workspace/limits";

const count = (n: number): string => n.toLocaleString("en");

function size(bytes: number): string {
  const MIB = 1024 * 1024;
  if (bytes % MIB === 0) return `${bytes / MIB} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${count(bytes)} bytes`;
}

/** A number of UTF-16 units of a text. */
const characters = (n: number): string => `${size(n).replace("iB", "i")} characters`;

function time(ms: number): string {
  const units = { day: DAY, hour: HOUR, minute: MINUTE, second: SECOND };
  const [unit, length] = Object.entries(units).find(([, each]) => ms % each === 0 && (each !== DAY || ms > DAY)) ?? [
    "",
    1,
  ];
  return `${ms / length} ${unit}${ms === length ? "" : "s"}`;
}

const rate = ({ limit, windowMs }: RateLimit): string => `${count(limit)} in ${time(windowMs)}`;

/** The expected content of the page, by its sections, from the constants that the code enforces. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Requests: {
    "JSON body": size(MAX_JSON_BODY_BYTES),
    "JSON body of a report": size(reports.MAX_REPORT_BODY_BYTES),
    "one upload request through the Worker": size(MAX_PUT_BYTES),
    "items on a page, by default": count(DEFAULT_PAGE_SIZE),
    "items on a page, at most": count(MAX_PAGE_SIZE),
    "lifetime of an `Idempotency-Key`": time(IDEMPOTENCY_RETENTION_MS),
    "failed jobs that one request of an administrator runs again": count(administration.MAX_RERUN_JOBS),
    "jobs of each kind that the counts of a queue read": count(administration.MAX_COUNTED_JOBS),
    "names of organizations that a page of a search reads": count(administration.NAME_READS.names),
  },
  Accounts: {
    "characters of a password, at least": count(access.MIN_PASSWORD_LENGTH),
    "characters of a password, at most": count(access.MAX_PASSWORD_LENGTH),
    "sign-in attempts from one network at one account": rate(access.SIGN_INS_PER_ACCOUNT_AND_NETWORK),
    "sign-in attempts from one network": rate(access.SIGN_INS_PER_NETWORK),
    "sign-in attempts at one account from all networks that are new to it": rate(access.SIGN_INS_PER_ACCOUNT),
    "registrations from one network": rate(access.REGISTRATIONS_PER_NETWORK),
    "registrations of one address": rate(access.REGISTRATIONS_PER_ADDRESS),
    "password resets from one network": rate(access.RESETS_PER_NETWORK),
    "reset links mailed to one address": rate(access.RESET_MAILS_PER_ADDRESS),
    "lifetime of a reset link": time(access.RESET_LIFETIME_MS),
    "lifetime of an access token": time(access.ACCESS_TOKEN_LIFETIME_MS),
    "lifetime of a session without use": time(access.SESSION_LIFETIME_MS),
    "personal access tokens of a user": count(access.MAX_TOKENS_PER_USER),
    "organizations of a personal access token": count(access.MAX_ORGANIZATIONS_PER_TOKEN),
  },
  Workspaces: {
    "organizations that one user owns": count(workspace.MAX_OWNED_ORGANIZATIONS),
    "clusters of a workspace": count(workspace.MAX_CLUSTERS),
    "locations of a cluster": count(workspace.MAX_LOCATIONS),
    "annotations of a location": count(workspace.MAX_ANNOTATIONS),
    "grants of one resource": count(workspace.MAX_GRANTS_PER_RESOURCE),
    "grants of one user": count(workspace.MAX_GRANTS_PER_USER),
    "grants that one user creates": rate(workspace.GRANT_RATE_LIMIT),
    "open invitations of an organization": count(workspace.MAX_OPEN_INVITATIONS),
    "invitations that one user sends": rate(workspace.INVITATION_RATE_LIMIT),
    "lifetime of an invitation, which works once": time(workspace.INVITATION_LIFETIME_MS),
  },
  Documents: {
    "size of a document": size(documents.MAX_DOCUMENT_BYTES),
    "characters of a file name, and of each folder of a path": count(documents.MAX_SEGMENT_LENGTH),
    "bytes of path and file name together": count(documents.MAX_FULL_NAME_BYTES),
    "lifetime of an upload address": time(uploads.UPLOAD_URL_LIFETIME_MS),
    "lifetime of an unfinished upload": time(uploads.UPLOAD_LIFETIME_MS),
    "lifetime of a download address": time(documents.LINK_LIFETIME_MS),
    "text that is indexed": characters(documents.MAX_TEXT_LENGTH),
    "passages that are indexed": count(documents.MAX_PASSAGES),
    "passages of a section": count(documents.MAX_PASSAGES_PER_SECTION),
    "size of a PDF that the Worker reads; a browser reads a larger one": size(documents.MAX_PDF_BYTES),
    "pages of a PDF that are indexed": count(documents.MAX_PDF_PAGES),
    "size of a PDF whose form values and comments are indexed": size(documents.MAX_PDF_WITH_NOTES_BYTES),
    "indexed part of a mail": size(documents.MAX_MAIL_BYTES),
    "pages of a scan that are read": count(documents.MAX_SCAN_PAGES),
    "pages of a scan that one step of a job reads": count(documents.SCAN_PAGES_PER_SLICE),
    "passages of one scanned page": count(documents.MAX_PASSAGES_PER_SCANNED_PAGE),
    "letters with which the own text of a page counts as text, at least": count(documents.MIN_PAGE_LETTERS),
    "pages that crash or do not end in time, after which the rest is not read": count(documents.MAX_LOST_PAGES),
    "pixels of a photo whose text is read": count(documents.MAX_PHOTO_PIXELS),
    "pixels of one picture in a scanned PDF; a larger one is left out": count(documents.MAX_SCAN_PICTURE_PIXELS),
    "time to read one page of a scan": time(documents.RECOGNIZE_PAGE_TIMEOUT_MS),
  },
  Search: {
    "searches of a user, in each instance": rate(search.SEARCHES_PER_USER),
    "suggestions of a user, in each instance": rate(search.SUGGESTIONS_PER_USER),
    "characters of a term that are read": count(search.MAX_TERM_LENGTH),
    "distinct words of a query": count(search.MAX_WORDS),
    "exclusions of a query": count(search.MAX_WORDS),
    "phrases of a query": count(search.MAX_PHRASES),
    "written variants of a phrase that are looked up": count(search.MAX_PHRASE_VARIANTS),
    "last words of a query that count as beginnings": count(search.MAX_PREFIXES),
    "occurrences that count for one beginning": count(search.MAX_PREFIX_POSTINGS),
    "occurrences that one query reads": count(search.MAX_GROUPED_POSTINGS),
    "occurrences that a query in chosen places reads": count(search.MAX_READ_POSTINGS),
    "occurrences that a query of function words alone reads": count(search.MAX_STOP_POSTINGS),
    "occurrences that a query of function words alone in chosen places reads": count(search.MAX_READ_STOP_POSTINGS),
    "shared resources of a guest that are looked up one by one": count(search.MAX_SCOPES_OF_GUEST),
    "occurrences in the workspaces that a query of a guest with more reads first": count(
      search.MAX_WORKSPACE_OCCURRENCES,
    ),
    "sections whose passages are scored": count(search.MAX_SCORED_SECTIONS),
    "results of a query over all pages, with their passages": count(search.MAX_RESULTS),
    "passages of each document in the results": count(search.MAX_PASSAGES_PER_DOCUMENT),
    "passages of a document that is asked for with `documentId`": count(search.MAX_LISTED_PASSAGES),
    "corrected words of a query": count(search.MAX_CORRECTIONS),
    suggestions: count(search.MAX_SUGGESTIONS),
    "occurrences that are read for a suggestion": count(search.MAX_READ_OCCURRENCES),
    "sections of texts with the words before that are read for a suggestion": count(search.MAX_CONTEXTS),
    "stored interactions of a search": count(search.MAX_INTERACTIONS),
  },
  "Notifications and live delivery": {
    "notifications of an inbox, after the daily clean-up": count(notifications.MAX_NOTIFICATIONS_PER_USER),
    "notifications that one call marks as read": count(notifications.MAX_MARKED),
    "connections that join one location": count(hub.MAX_LISTENERS),
    "locations that one connection joins": count(hub.MAX_SUBSCRIPTIONS),
    "connections of a user": count(hub.MAX_CONNECTIONS_PER_USER),
    "one message to the hub": size(hub.MAX_MESSAGE_BYTES),
    "one `POST` to the hub": size(hub.MAX_POST_BYTES),
    "time for a handshake, and for an incomplete message": time(hub.RECORD_TIMEOUT_MS),
    "bytes of a client that the hub has not answered": size(hub.MAX_IN_FLIGHT_BYTES),
    "data that waits for a slow reader": size(hub.MAX_WAITING_BYTES),
    "silence of a client that has sent pings": time(hub.MAX_SILENCE_MS),
    "memory of the hub for changes of access that a client asks about": time(hub.ACCESS_CHANGE_RETENTION_MS),
  },
  "Reports and branding": {
    "size of a logo or banner": size(branding.MAX_ASSET_BYTES),
    "templates of an organization or user": count(reports.MAX_TEMPLATES),
    "reports of a location": count(reports.MAX_REPORTS),
    "layout, stylesheet and skeleton of a template, each": characters(reports.MAX_TEMPLATE_CHARACTERS),
    "characters of a tag": count(reports.MAX_TAG_CHARACTERS),
    "depth of sections": count(reports.MAX_SECTION_DEPTH),
    "JSON of a draft": size(reports.DRAFT_LIMITS.maxBytes),
    "depth of a draft": count(reports.DRAFT_LIMITS.maxDepth),
    "keys of a draft": count(reports.DRAFT_LIMITS.maxKeys),
    "characters of a key": count(reports.DRAFT_LIMITS.maxKeyLength),
    "steps of rendering a page": count(reports.MAX_RENDERING_STEPS),
    "page without pictures": characters(reports.MAX_RENDERED_CHARACTERS),
    "pictures of a page": count(reports.MAX_IMAGES),
    "pictures of a page, scaled, together": size(reports.MAX_IMAGE_BYTES),
    "longest edge of a picture, pixels": count(reports.SINGLE_IMAGE_EDGE),
    "longest edge of a picture in a gallery, pixels": count(reports.GALLERY_IMAGE_EDGE),
    "page with pictures, for printing": characters(reports.MAX_PAGE_CHARACTERS),
    "fonts that the service adds to a page": size(reports.MAX_FONT_BYTES),
    "time to print": time(reports.PRINT_TIMEOUT_MS),
    "size of a PDF": size(reports.MAX_PDF_BYTES),
    "PDFs that wait in an organization or personal workspace": count(reports.MAX_WAITING_PDFS),
    "age of a revision that a change is merged from": time(reports.BASE_RETENTION),
    "revisions since the one that a change is merged from": count(reports.MAX_REVISIONS_SINCE_BASE),
    "one change after which earlier revisions can be merged from": size(reports.MAX_DELTA_BYTES),
    "merging: changed words or items between two that occur once; with more, all between them count as one change":
      count(reports.MAX_EDITS_IN_STRETCH),
    "merging: steps of comparing words and items that occur several times; after them, what is left counts as one change":
      count(reports.MAX_MERGE_STEPS),
    "connections of a room": count(reports.MAX_ROOM_CONNECTIONS),
    "one message to a room": size(reports.MAX_ROOM_MESSAGE_BYTES),
    "history of a room": size(reports.MAX_ROOM_HISTORY_BYTES),
    "lifetime of a token for a room": time(reports.ROOM_TOKEN_LIFETIME_MS),
  },
  Cameras: {
    "cameras of a location, retired ones included": count(cameras.MAX_CAMERAS_PER_LOCATION),
    "longest capture interval, minutes": count(cameras.MAX_INTERVAL_MINUTES),
    "pixels of an image": count(cameras.MAX_PICTURE_PIXELS),
    "size of an image": size(cameras.MAX_CAPTURE_BYTES),
    "capture time ahead of the service's clock": time(cameras.CLOCK_TOLERANCE_MS),
    "lifetime of an upload address for an image": time(cameras.CAPTURE_URL_LIFETIME_MS),
    "lifetime of an unfinished upload of an image": time(cameras.OPERATION_LIFETIME_MS),
    "unfinished uploads of a camera": count(cameras.MAX_UNFINISHED_OPERATIONS),
    "new uploads of a camera": rate({ limit: cameras.ADMISSIONS_PER_MINUTE, windowMs: cameras.ADMISSION_WINDOW_MS }),
    "requests of a device, in each instance": rate({ limit: cameras.DEVICE_REQUESTS_PER_MINUTE, windowMs: MINUTE }),
    "retention of a rejected image": time(cameras.REJECTED_RETENTION),
    "lifetime of a pairing code, which works once": time(cameras.PAIRING_CODE_LIFETIME_MS),
    "pairing codes of a camera": rate(cameras.ENROLLMENTS_PER_CAMERA),
    "pairing attempts from one network": rate(cameras.REDEMPTIONS_PER_NETWORK),
    "pairing attempts at one camera": rate(cameras.REDEMPTIONS_PER_CAMERA),
    "images on a page of the history, by default": count(cameras.DEFAULT_HISTORY_PAGE_SIZE),
    "images on a page of the history, at most": count(cameras.MAX_HISTORY_PAGE_SIZE),
    "frames of one call": count(cameras.MAX_FRAMES),
    "capture times of one call": count(cameras.MAX_CAPTURE_TIMES),
    "days of one day strip": count(cameras.MAX_STRIP_DAYS),
    "previews of one call": count(cameras.MAX_PREVIEWS),
    "preview calls from one network, in each instance": rate(cameras.PREVIEW_REQUESTS_PER_NETWORK),
    "lifetime of a download address of an image": time(cameras.IMAGE_ADDRESS_LIFETIME_MS),
  },
  "Camera exports and share links": {
    "images of an export": count(cameras.MAX_EXPORT_IMAGES),
    "lifetime of an export, unless one of its images ends earlier": time(cameras.EXPORT_RETENTION),
    "lifetime of a download address of an export": time(cameras.EXPORT_ADDRESS_LIFETIME_MS),
    "links in use of a location": count(cameras.MAX_ACTIVE_LINKS),
    "cameras of a link": count(cameras.MAX_CAMERAS_PER_LINK),
    "requests on links from one network, in each instance": rate(cameras.SHARED_REQUESTS_PER_NETWORK),
    "frames of a shared film": count(cameras.MAX_SHARED_FRAMES),
    "characters of a link's passcode": `${cameras.MIN_PASSCODE_LENGTH} to ${cameras.MAX_PASSCODE_LENGTH}`,
    "time for which a pass opens a link with a passcode": time(cameras.SHARE_PASS_LIFETIME_MS),
    "passcodes tried at one link from one network": rate(cameras.PASSCODE_TRIES_PER_NETWORK),
    "passcodes tried at one link": rate(cameras.PASSCODE_TRIES_PER_LINK),
    "time until an ended link is deleted": time(cameras.ENDED_LINK_RETENTION),
  },
};

test("the page lists each limit, with the number that the code enforces", () => {
  const sections = page.split(/^## /m).slice(1);
  const listed = sections.map((section) => [
    section.slice(0, section.indexOf("\n")),
    Object.fromEntries(
      [...section.matchAll(/^\| (?!What |---)(.+?) \| (.+?) \|$/gm)].map(([, what, limit]) => [what, limit]),
    ),
  ]);
  expect(Object.fromEntries(listed)).toEqual(EXPECTED);
});
