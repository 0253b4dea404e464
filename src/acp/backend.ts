/** The API of the daemon, as far as an editor needs it. */
export interface AcpBackend {
  get(path: string): Promise<unknown>
  post(path: string, body?: unknown): Promise<unknown>
  /** Events of one session after this position of the log. */
  events(
    session: string,
    options: { since: string; signal: AbortSignal },
  ): AsyncIterable<{ event: string; data: unknown }>
}
