import { Interrupted } from '../pace.js'

/** One dialog at a time; those that are answered elsewhere meanwhile never appear. */
export class MenuQueue {
  private last: Promise<unknown> = Promise.resolve()

  show<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    const mine = this.last.then(() => {
      if (signal.aborted) throw new Interrupted()
      return ask()
    })
    this.last = mine.catch(() => undefined)
    return mine
  }
}
