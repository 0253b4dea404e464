/*
 * How a session's terminal is read: a `ReaderClient` sends bytes, sizes and times to a
 * `TerminalReader` and gets back what they show. The reader is in the same thread (`LocalReader`)
 * or, in a daemon with `terminal.threads`, in another one (`ReaderThreads`); the session does not
 * notice. A look is sent as the differences to the one before.
 *
 *   ReaderClient ── request ──► TerminalReader ─► PaneScreen    reader-client.ts, messages.ts
 *     ▲  mirror of the screen      │                            terminal-reader.ts
 *     └──────── reply ◄────────────┘
 *
 * - reader-threads.ts: both ends of a thread: the host starts threads, gives sessions to them and
 *   ends those that hang; `serveReaders` is the program of a thread (thread-main.ts starts it).
 * - session-scheduler.ts: sessions that share a thread take turns, on the host and in each thread.
 */

export type { Picture } from './messages.js'
export { LocalReader, ReaderClient, type ReaderPlace } from './reader-client.js'
export { type PlaceOptions, ReaderThreads } from './reader-threads.js'
export { type SessionQueue, SessionScheduler } from './session-scheduler.js'
