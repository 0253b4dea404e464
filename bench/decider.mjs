// `node bench/decider.mjs <socket> <name>`: decides every request of a daemon as soon as it is
// pending, in competition with other deciders. Commands that start with an even number are allowed,
// others denied. After each round it prints how many decisions were its own, how many came too
// late, and other answers; it ends with its standard input.
import { request } from 'node:http'

const [socketPath, name] = process.argv.slice(2)
/** The time between two requests for the list: polling must not be the load that is measured. */
const ROUND_MS = 50
const tried = new Set()
const counts = { won: 0, late: 0, other: [] }
let hasEnded = false
process.stdin.on('end', () => {
  hasEnded = true
})
process.stdin.resume()

while (!hasEnded) {
  const { items } = (await call('GET', '/approvals')).value
  const fresh = items.filter(({ id, state }) => state === 'pending' && !tried.has(id))
  await Promise.all(fresh.map(decide))
  if (fresh.length > 0) console.log(JSON.stringify(counts))
  await new Promise(resolve => setTimeout(resolve, ROUND_MS))
}

async function decide(approval) {
  tried.add(approval.id)
  const number = Number(/ (\d+)\b/.exec(approval.request.input?.command ?? approval.request.text)?.[1])
  const meaning = number % 2 === 0 ? 'allow-once' : 'deny'
  const { status, value } = await call('POST', `/approvals/${approval.id}/decision`, {
    fingerprint: approval.fingerprint,
    option: approval.request.options.find(option => option.meaning === meaning).key,
    seen: { displayHash: approval.display.hash, whole: true },
    idempotencyKey: `${name}:${approval.id}`,
    actor: { id: name, name },
  })
  if (status === 200) counts.won++
  else if (value.error?.code === 'E_APPROVAL_DECIDED') counts.late++
  else counts.other.push(value.error?.code ?? status)
}

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const asking = request({ socketPath, agent: false, method, path: `/api/v1${path}`, headers }, answer => {
      const chunks = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode, value: JSON.parse(Buffer.concat(chunks).toString()) }),
      )
    })
    asking.on('error', reject)
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
