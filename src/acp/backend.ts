/** The API of the daemon, as far as an editor needs it. */
export interface AcpBackend {
  get(path: string): Promise<unknown>
  post(path: string, body?: unknown): Promise<unknown>
  /** Events of one session, from now on. */
  events(session: string, signal: AbortSignal): AsyncIterable<{ event: string; data: unknown }>
}
