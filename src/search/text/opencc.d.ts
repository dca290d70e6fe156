declare module "opencc-js/dict/TSCharacters" {
  const table: string;
  export default table;
}
