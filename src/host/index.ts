/*
 * The host: a process that owns live sessions, the daemon or a foreground command. This room is
 * wiring: it connects the keeper, the store, sessions, reports, supervision and notifications.
 * Policies of its own have sandbox/ (what a sandboxed agent may reach, and whom it asks),
 * session-budgets.ts (when a session is paused) and sweeps.ts (what is removed, and when).
 *
 *   host.ts                opens and closes everything; what surfaces use
 *   decision-dispatcher.ts delivers decisions to the sessions that wait for them
 *   host-parts.ts          packs, registry of panes, notifications
 *   live-sessions.ts       starts, resumes, takes over and forgets sessions, and wires them;
 *                          open-session.ts creates one
 *   live-bus.ts            ephemeral updates for surfaces in this process
 *   prepare-session.ts     what is checked and built before a program is started, with
 *                          session-environment.ts and resume-session.ts
 *   catch-up-queue.ts      after a restart: in which order, and in which slices, sessions catch up
 *   kept-sessions.ts       after a restart: catch up with a session, or end an unknown program
 *   session-snapshots.ts   saved state, so that the next host need not read a whole recording
 *   loop-monitor.ts        how long this process blocks its event loop, and for which session
 *   session-stats.ts       what an agent reports about its own work
 *   session-budgets.ts     what sessions spend; pauses those that have used up a budget
 *   session-records.ts     sessions in the log; find-session.ts finds the one that a person means
 *   guard-repository.ts    keeps a sandboxed agent from redirecting the project's repository
 *   remote/                sessions on workers, as their server has them
 *   worker/                the host of a worker: log and ledger are its server's
 *   sandbox/               the sandbox of a session: plan, proxy, requests for paths and hosts
 *   reader-factories.ts    where terminals are read: in this thread, or in others
 *   sweeps.ts              removes old sessions and uploads, compresses recordings
 *   switches.ts            turns parts of a running host on and off
 *   settings.ts            the settings of a host; settings-watcher.ts notices their changes,
 *                          settings-files.ts reads the files beside them
 *   home/                  opens a home directory: settings, lock, bot token, public address
 *   home-id.ts             the id of a home directory, created with its first use
 *   open-store.ts          the store with all projections (Telegram: telegram-projections.ts)
 */

export { homeId } from './home-id.js'
export { Host } from './host.js'
export { LiveBus, type LiveUpdate } from './live-bus.js'
export { openLedger } from './open-ledger.js'
export { mayHaveStore, openHomeStore, storeAddress, storeFile, storeName } from './open-store.js'
export type { StartRequest } from './prepare-session.js'
export { RemoteSession } from './remote/index.js'
export { resumableLost } from './resume-session.js'
export { type PathRequester, pathInput, toolCandidates } from './sandbox/refused-paths.js'
export { HOST_TOOL, PATH_TOOLS, projectGrants, SANDBOX_CHANNEL } from './sandbox/sandbox-requests.js'
export { hostInput } from './sandbox/session-proxies.js'
export {
  explainSandbox,
  programInSandbox,
  type SandboxRequest,
  type SandboxSettings,
  sandboxFor,
} from './sandbox/session-sandbox.js'
export { stepEnvironment } from './session-environment.js'
export type { HostSettings, StoreSettings } from './settings.js'
export {
  type ButtonToken,
  type KnownChat,
  type KnownTopic,
  type OpenUpdate,
  type QueuedItem,
  type ShownCard,
  telegramChatsProjection,
  telegramCursorProjection,
  telegramOutboxProjection,
  telegramShownProjection,
  telegramTokensProjection,
  telegramTopicsProjection,
  telegramUpdatesProjection,
} from './telegram-projections.js'
