/*
 * How a session's terminal is read: a `ReaderClient` sends bytes, sizes and times to a
 * `TerminalReader` and gets back what they show. The reader is in the same thread (`LocalReader`)
 * or in another one (`ReaderThreads`); the session does not notice. A daemon reads its first four
 * sessions in its own thread and further ones in threads, unless `terminal.threads` sets a number
 * (docs/decisions/0061). A look is sent as the differences to the one before.
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
