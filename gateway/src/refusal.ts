/** What a person can set right: shown as it is, without a stack. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
