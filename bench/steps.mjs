// `npm run bench:steps`: one turn of one session with thousands of steps. What the daemon needs for
// a step late in the turn, beside one early in it: CPU time, bytes written, and the longest time in
// which its event loop did nothing else. Prints, asserts nothing. Needs a build.
//   bars: step 5 000 costs ≤ 1.2 × step 50, in CPU and in bytes; no block longer than 50 ms of CPU;
//         600 steps need ≤ 20 s of CPU; `sessions` answers within 2 s at every moment
// BENCH_STEPS (5 050): steps of the turn; BENCH_THINK_MS (60): pause of the agent before each.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { cpuSeconds, DaemonHome, print, runBenchmark, sleep, threadSetting } from './daemon-home.mjs'

const STEPS = Number(process.env.BENCH_STEPS ?? 5_050)
const THINK_MS = Number(process.env.BENCH_THINK_MS ?? 60)
const BAR = 1.2
/** Steps whose costs are compared: around the 50th, and the same number at the end. */
const WINDOW = 100
const ASK_EVERY_MS = 2_000
const TAIL = 32 * 1024
const CPU_BAR = { steps: 600, s: 20 }
const ANSWER_BAR_MS = 2_000

const home = new DaemonHome()
await runBenchmark(home, async () => {
  home.configure(`[agents.demo]\nhooks = false\n${threadSetting()}`)
  home.startDaemon()
  const steps = Array.from({ length: STEPS }, (_, index) => [
    { think: THINK_MS },
    { say: `Step ${index + 1} is done, and nothing else has changed.` },
  ]).flat()
  const session = await home.startDemo(home.scenario('steps', steps))
  const before = spent()
  await home.post(`/sessions/${session.id}/messages`, { text: 'go' })
  const points = [{ step: 0, ...before }]
  let slowest = 0
  let asked = performance.now()
  while (points.at(-1).step < STEPS) {
    await sleep(100)
    const step = newestStep(session.recording)
    if (step > points.at(-1).step) points.push({ step, ...spent() })
    if (performance.now() - asked < ASK_EVERY_MS) continue
    asked = performance.now()
    await home.get('/sessions')
    slowest = Math.max(slowest, performance.now() - asked)
  }
  await home.get(`/sessions/${session.id}/wait?for=idle&timeoutMs=120000`)
  const early = between(points, 0, WINDOW)
  const late = between(points, STEPS - WINDOW, STEPS)
  compare('CPU for a step', early.cpu * 1000, late.cpu * 1000, 'ms')
  compare('bytes for a step', early.bytes, late.bytes, 'bytes')
  for (let to = 500; to <= STEPS; to += 500) {
    const { cpu, bytes } = between(points, to - 500, to)
    print(`steps ${to - 499} to ${to}`, `${(cpu * 1000).toFixed(1)} ms of CPU and ${bytes.toFixed(0)} bytes a step`)
  }
  const whole = between(points, 0, Math.min(CPU_BAR.steps, STEPS))
  print(
    `${CPU_BAR.steps} steps`,
    `${(whole.cpu * CPU_BAR.steps).toFixed(1)} s of CPU (bar ${CPU_BAR.s} s); slowest answer ${slowest.toFixed(0)} ms (bar ${ANSWER_BAR_MS} ms)`,
  )
})

/** CPU seconds of the daemon, and the bytes that it has written to files and sockets. */
function spent() {
  const pid = home.pid('daemon')
  return { cpu: cpuSeconds(pid), bytes: Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))[1]) }
}

/** The newest step that the agent has printed, from the end of its recording. */
function newestStep(recording) {
  const file = openSync(recording)
  const { size } = fstatSync(file)
  const buffer = Buffer.alloc(Math.min(TAIL, size))
  readSync(file, buffer, 0, buffer.length, size - buffer.length)
  closeSync(file)
  return [...buffer.toString('latin1').matchAll(/Step (\d+) is done/g)].reduce((max, [, n]) => Math.max(max, n), 0)
}

/** What a step cost between two steps, for each of them. */
function between(points, from, to) {
  const first = points.findLast(({ step }) => step <= from)
  const last = points.find(({ step }) => step >= to)
  const count = last.step - first.step
  return { cpu: (last.cpu - first.cpu) / count, bytes: (last.bytes - first.bytes) / count }
}

function compare(what, early, late, unit) {
  const figures = `${early.toFixed(1)} ${unit} early, ${late.toFixed(1)} ${unit} around step ${STEPS}`
  print(what, `${figures}: ${(late / early).toFixed(2)} × (bar ${BAR})`)
}
