/** An error that a person can correct. It is shown without a stack. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
