import { Component, type ComponentChildren } from 'preact'

interface UnchangedProps {
  /** What the content depends on. */
  by: readonly unknown[]
  children: () => ComponentChildren
}

/**
 * Content that is drawn again only when one of the values that it depends on changes. An element
 * that is kept (`useMemo`) does not do: Preact links it with the whole page as it was when it was
 * first drawn, so in a list whose rows come and go nothing would ever be freed.
 */
export class Unchanged extends Component<UnchangedProps> {
  /** A signal that the content reads changes the state. */
  override shouldComponentUpdate(next: UnchangedProps, state: object): boolean {
    return state !== this.state || next.by.some((value, index) => value !== this.props.by[index])
  }

  override render({ children }: UnchangedProps): ComponentChildren {
    return children()
  }
}
