import { type ApprovalPolicy, Ledger } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import { gateAnswer, SettingsWatch } from '../host/index.js'
import type { EventStore } from '../store/index.js'
import type { Redactor } from '../text/index.js'

export interface RunLedgerOptions {
  store: EventStore
  clock: Clock
  redactor: Redactor
  /** The person's own settings; grants that were given under others end. Left out: they are not compared. */
  settingsFile?: string
  policy?: Partial<ApprovalPolicy>
  onError(error: unknown): void
}

/** The ledger of a process that drives runs without a host: the same rules as the daemon's, over the same store. */
export function openRunLedger({ store, clock, redactor, settingsFile, policy, onError }: RunLedgerOptions): Ledger {
  const settings =
    settingsFile === undefined
      ? null
      : new SettingsWatch({
          file: settingsFile,
          clock,
          projects: async () => [],
          onChanged: () => undefined,
          onError,
        })
  return new Ledger(store, {
    clock,
    redactor,
    ...(settings && { settingsMark: (project: string) => settings.markOf(project) }),
    ...(policy && { policy }),
    alongside: (record, decision) => gateAnswer(record, decision, clock.now()),
  })
}
