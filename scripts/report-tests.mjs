// The reporter of `npm test`. It names every test that passed only on its second attempt, counts
// the skipped tests by what they need, ends with the line `N passed, N failed, N skipped`, and
// makes sure that a run with a failure fails.
const NEED = /\(needs ([^)]+)\)/

export default class TestReport {
  onTestRunEnd(modules, errors = []) {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const of = state => tests.filter(test => test.result().state === state)
    for (const test of of('passed'))
      if (test.diagnostic()?.flaky) console.log(`passed on retry: ${nameOf(test)}${firstErrorOf(test)}`)
    const skipped = of('skipped')
    for (const [need, count] of countNeeds(skipped)) console.log(`skipped: ${count} tests (needs ${need})`)
    for (const test of skipped) if (!NEED.test(test.fullName)) console.log(`skipped: ${nameOf(test)}${noteOf(test)}`)
    // A file that cannot be loaded has no tests, and an error outside a test belongs to none.
    const broken = modules.filter(module => module.errors().length > 0)
    for (const module of broken) console.log(`failed to load: ${module.relativeModuleId}`)
    const failed = of('failed').length + broken.length + errors.length
    console.log(`${of('passed').length} passed, ${failed} failed, ${skipped.length} skipped`)
    // A library that a test or a set-up loads may end this process with code 0 (async-exit-hook
    // does).
    if (failed > 0) process.once('exit', () => (process.exitCode ||= 1))
  }
}

function nameOf(test) {
  return `${test.module.relativeModuleId}: ${test.fullName}`
}

/** Why the first attempt failed. */
function firstErrorOf(test) {
  const [error] = test.result().errors ?? []
  if (!error) return ''
  const { file, line } = error.stacks?.[0] ?? {}
  return `\n  ${error.message.split('\n')[0]}${file ? ` (${file.split('/').slice(-2).join('/')}:${line})` : ''}`
}

function noteOf(test) {
  const { note } = test.result()
  return note ? ` (${note})` : ''
}

function countNeeds(tests) {
  const counts = new Map()
  for (const { fullName } of tests) {
    const need = NEED.exec(fullName)?.[1]
    if (need !== undefined) counts.set(need, (counts.get(need) ?? 0) + 1)
  }
  return counts
}
