/*
 * How a session's terminal is read: a `ReaderClient` sends bytes, sizes and times to a
 * `TerminalReader` and gets back what they show. The reader is in the same thread (`LocalReader`)
 * or in another one (`ReaderThreads`); the session does not notice. A daemon reads terminals in
 * threads, unless `terminal.threads` is 0 or the machine has one core (docs/decisions/0095). A look
 * is sent as the differences to the one before.
 *
 *   ReaderClient ── request ──► TerminalReader ─► PaneScreen    reader-client.ts, messages.ts
 *     ▲  mirror of the screen      │                            terminal-reader.ts
 *     └──────── reply ◄────────────┘
 *
 * - reader-threads.ts: both ends of a thread: the host starts threads, gives sessions to them and
 *   ends those that hang; `serveReaders` is the program of a thread (thread-main.ts starts it).
 * - session-scheduler.ts: the order in which sessions that share a thread are read.
 */

export type { Picture } from './messages.js'
export { LocalReader, ReaderClient, type ReaderFactory } from './reader-client.js'
export { ReaderThreads, type ThreadReaderOptions } from './reader-threads.js'
export { type SessionQueue, SessionScheduler } from './session-scheduler.js'
