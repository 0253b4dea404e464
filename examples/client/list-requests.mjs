// Prints what agents and runs ask a person for, the oldest first.
// node list-requests.mjs
import { connect, SignalboxApiError } from 'signalbox'

const signalbox = connect()
try {
  const { items } = await signalbox.call('approvals.list')
  for (const { id, kind, risk, display } of items.reverse()) console.log(`${id}  ${kind} (${risk.level})  ${display.title}`)
  console.log(`${items.length} request(s) wait`)
} catch (error) {
  if (!(error instanceof SignalboxApiError)) throw error
  console.error(`${error.code}: ${error.message}${error.next ? ` (${error.next})` : ''}`)
  process.exitCode = 1
}
