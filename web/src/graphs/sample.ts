/** The text of a new graph: a loop that implements, tests and asks a person. */
export const SAMPLE = `digraph implement_and_check {
  goal = "Make the change and prove it"

  start     [shape=Mdiamond]
  implement [shape=box, prompt="Implement: $goal"]
  test      [shape=parallelogram, tool_command="npm test"]
  review    [shape=hexagon, label="Is this what you wanted?"]
  done      [shape=Msquare]

  start -> implement -> test
  test -> review    [condition="outcome=success"]
  test -> implement [condition="outcome=fail"]
  review -> done      [label="Yes"]
  review -> implement [label="No, again"]
}
`

/** Key of the draft in the storage of this tab. */
export const DRAFT = 'signalbox.graph-draft'

export function draftGraph(): string {
  return sessionStorage.getItem(DRAFT) ?? SAMPLE
}
