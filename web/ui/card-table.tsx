import type { ComponentChildren } from "preact";

/** A table in a card: the heads of its columns, and its rows as children. The last column has the actions of a row. */
export function CardTable(props: {
  /** For screen readers. */
  title: string;
  /** `number`: a column of numbers, which stand at its end. */
  columns: readonly (string | { number: string })[];
  actions: string;
  children: ComponentChildren;
}) {
  return (
    <div class="card table">
      <table>
        <caption class="sr">{props.title}</caption>
        <thead>
          <tr>
            {props.columns.map((column) =>
              typeof column === "string" ? (
                <th scope="col" key={column}>
                  {column}
                </th>
              ) : (
                <th scope="col" class="num" key={column.number}>
                  {column.number}
                </th>
              ),
            )}
            <th scope="col" class="actions">
              <span class="sr">{props.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}
