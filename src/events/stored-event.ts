/** An event to append to a stream. */
export interface NewEvent {
  type: string
  data: Record<string, unknown>
  /** Milliseconds since the epoch; the store's clock when absent. */
  at?: number
}

export interface StoredEvent {
  position: number
  stream: string
  version: number
  type: string
  at: number
  data: Record<string, unknown>
}
