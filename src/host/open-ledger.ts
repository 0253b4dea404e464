import { dirname } from 'node:path'
import { Ledger, type LedgerOptions } from '../approvals/index.js'
import { gateAnswer } from '../engine/index.js'
import { People } from '../people/index.js'
import type { EventStore } from '../store/index.js'
import { createRedactor, type Redactor, secretsFromEnvironment } from '../text/index.js'
import type { HostSettings } from './settings.js'
import { SettingsFiles } from './settings-files.js'

interface OpenLedgerOptions {
  store: EventStore
  settings: Pick<HostSettings, 'approvals' | 'settingsFile'>
  /** Removes secrets from what is stored; by default those of this process's environment. */
  redactor?: Redactor
  /** Signs decisions: of the daemon, whose sessions accept no others. */
  secret?: string | null
  /** Whether another ledger accepted a decision: of a command that asks the daemon. */
  isAccepted?: LedgerOptions['isAccepted']
}

/**
 * Opens the ledger of a home. The daemon, a run in the foreground and a command that decides
 * without a daemon all call this: the same policy, roles, redaction and grants hold for every
 * decision, whichever process makes it.
 */
export function openLedger({ store, settings, redactor, secret, isAccepted }: OpenLedgerOptions): Ledger {
  const { approvals, settingsFile } = settings
  return new Ledger(store, {
    clock: store.clock,
    redactor: redactor ?? createRedactor({ secretValues: secretsFromEnvironment(process.env) }),
    ...(approvals && { policy: approvals }),
    ...(settingsFile !== undefined && settingsRules(settingsFile)),
    ...(secret != null && { secret }),
    ...(isAccepted && { isAccepted }),
    gateAppends: async (record, decision) => gateAnswer(record, decision, store.clock.now()),
  })
}

/** Reads the files next to the settings: valid grants, and people's roles. */
function settingsRules(settingsFile: string): Pick<LedgerOptions, 'settingsHash' | 'roleOf'> {
  const files = new SettingsFiles(settingsFile)
  const people = new People(dirname(settingsFile))
  return {
    settingsHash: project => files.hashOf(project),
    // A chat's people have the role that people.json gives them at this moment. The other surfaces
    // check a credential of their own with every request, and pass on its role.
    roleOf: (actor, surface) =>
      surface === 'telegram' ? (people.all().find(({ id }) => id === actor.id)?.role ?? null) : actor.role,
  }
}
