import { EDIT_LOCATION } from "#texts/locations.ts";
import { dataOf, type Location } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Area, Degrees, Field, Form } from "../../../ui/form.tsx";
import { ZoneChoice } from "../../../ui/zone-choice.tsx";
import { api } from "../platform/session.ts";

/** The coordinate of a field; null if the field is empty. */
const coordinate = (text: string): number | null => (text.trim() === "" ? null : Number(text));

/** The form that changes the fields of a location. */
export function EditLocation({ location, onClose }: { location: Location; onClose: (changed: boolean) => void }) {
  const text = EDIT_LOCATION;
  const { id, revision, timeZone } = location;
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
        <ZoneChoice name="timeZone" help={text.timeZoneHelp} none={text.noZone} value={timeZone ?? ""} />
      </Form>
    </Dialog>
  );
}
