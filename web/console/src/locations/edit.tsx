import { EDIT_LOCATION } from "#texts/locations.ts";
import { dataOf, type Location } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Area, Choice, Degrees, Field, Form } from "../../../ui/form.tsx";
import { api } from "../platform/session.ts";

/** The time zones that the browser knows, and UTC. */
const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

/** The coordinate of a field; null if the field is empty. */
const coordinate = (text: string): number | null => (text.trim() === "" ? null : Number(text));

/** The form that changes the fields of a location. */
export function EditLocation({ location, onClose }: { location: Location; onClose: (changed: boolean) => void }) {
  const text = EDIT_LOCATION;
  const { id, revision, timeZone } = location;
  const zones = timeZone === null || ZONES.includes(timeZone) ? ZONES : [timeZone, ...ZONES];
  return (
    <Dialog title={text.title} onClose={() => onClose(false)}>
      <Form
        send={text.send}
        failed={text.failed}
        onSend={async (value) => {
          const zone = value("timeZone");
          const body = {
            name: value("name").trim(),
            address: value("address").trim() || null,
            description: value("description").trim(),
            latitude: coordinate(value("latitude")),
            longitude: coordinate(value("longitude")),
            timeZone: zone === "" ? null : zone,
            baseRevision: revision,
          };
          await dataOf(api.PATCH("/v1/spatial/locations/{locationId}", { params: { path: { locationId: id } }, body }));
          onClose(true);
        }}
        beside={<Cancel onClose={() => onClose(false)} />}
      >
        <Field label={text.name} name="name" defaultValue={location.name} required maxLength={200} autofocus />
        <Field label={text.address} name="address" defaultValue={location.address ?? ""} maxLength={500} />
        <Area
          label={text.description}
          name="description"
          defaultValue={location.description}
          maxLength={4000}
          rows={3}
        />
        <Degrees labels={text} value={location} />
        <Choice
          label={text.timeZone}
          name="timeZone"
          help={text.timeZoneHelp}
          options={[{ value: "", label: text.noZone }, ...zones.map((zone) => ({ value: zone, label: zone }))]}
          value={timeZone ?? ""}
        />
      </Form>
    </Dialog>
  );
}
