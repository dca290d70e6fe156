import type { ComponentChildren } from "preact";

interface HeadProps {
  /** For screen readers. */
  title: string;
  /** `number`: a column of numbers, which stand at its end. */
  columns: readonly (string | { number: string })[];
  actions: string;
}

/** The caption and the heads of the columns of a table. The last column has the actions of a row. */
export const TableHead = ({ title, columns, actions }: HeadProps) => (
  <>
    <caption class="sr">{title}</caption>
    <thead>
      <tr>
        {columns.map((column) =>
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
          <span class="sr">{actions}</span>
        </th>
      </tr>
    </thead>
  </>
);

/** A table in a card: the heads of its columns, and its rows as children. */
export const CardTable = ({ children, ...head }: HeadProps & { children: ComponentChildren }) => (
  <div class="card table">
    <table>
      <TableHead {...head} />
      <tbody>{children}</tbody>
    </table>
  </div>
);
