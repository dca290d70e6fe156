/** The outline of the world, which the build makes (`web/world.mjs`): paths in Web Mercator. */
declare module "virtual:world" {
  /** The width of the world in units of the paths. */
  export const SIZE: number;
  export const LAND: string;
  export const BORDERS: string;
}
