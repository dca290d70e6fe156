/* The limits, help and defaults of a camera's settings in the API's description. The forms follow them. */

interface Described {
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}
export type DescribedSettings = Record<string, Described>;

interface ApiDescription {
  components: { schemas: Record<string, { properties?: DescribedSettings }> };
}

let reading: Promise<DescribedSettings> | null = null;

async function read(): Promise<DescribedSettings> {
  const response = await fetch("/openapi.json");
  const { components } = (await response.json()) as ApiDescription;
  return components.schemas.CameraCreate?.properties ?? {};
}

/** The settings of a new camera by name. They are fetched once. */
export function readDescribed(): Promise<DescribedSettings> {
  reading ??= read().catch((thrown: unknown) => {
    reading = null;
    throw thrown;
  });
  return reading;
}

/** The default of a setting, from the last sentence of its description. */
export function defaultOf({ description = "" }: Described): unknown {
  const [, stated] = / Default: (.*)\.$/.exec(description) ?? [];
  return stated === undefined ? undefined : JSON.parse(stated);
}

/** The most megapixels of a picture, from the description of its width. */
export const megapixelsOf = ({ description = "" }: Described): number =>
  Number(/(\d+) megapixels/.exec(description)?.[1]);
