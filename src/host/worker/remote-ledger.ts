import { type ApprovalRequest, LEDGER_OPERATIONS, type LedgerPort } from '../../approvals/index.js'
import type { Redactor } from '../../text/index.js'
import type { ServerPort } from '../../workers/index.js'

/** The ledger of the server, for the sessions of a worker. Secrets of this machine stay here. */
export function remoteLedger(server: Pick<ServerPort, 'call'>, redactor: Redactor): LedgerPort {
  const withoutSecrets = (value: unknown) => redactor.redactValue(value) as ApprovalRequest
  const operations = LEDGER_OPERATIONS.map(operation => {
    const call = (...args: unknown[]) => {
      if (operation === 'request') args[0] = withoutSecrets(args[0])
      if (operation === 'replace') args[1] = withoutSecrets(args[1])
      return server.call(`ledger.${operation}`, { args })
    }
    return [operation, call] as const
  })
  return Object.fromEntries(operations) as unknown as LedgerPort
}
