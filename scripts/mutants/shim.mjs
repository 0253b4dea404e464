// What test files import from vitest, without its processes: tests are collected once and can be
// run again for every mutant in the same process.
import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect'

chai.use(JestExtend)
chai.use(JestChaiExpect)
chai.use(JestAsymmetricMatchers)
chai.use((_, { addMethod }) =>
  addMethod(chai.Assertion.prototype, 'toMatchInlineSnapshot', function match(text) {
    this.equal(JSON.parse(text.trim()))
  }),
)
export const expect = (value, message) => {
  const assertion = chai.expect(value, message)
  chai.util.flag(assertion, 'message', message)
  return assertion
}
Object.assign(expect, chai.expect)
Object.setPrototypeOf(expect, chai.expect)
expect.soft = expect
expect.poll = look =>
  new Proxy(
    {},
    {
      get: (_, name) => {
        const wait =
          isNot =>
          async (...args) => {
            for (let tries = 0; ; tries++) {
              try {
                const assertion = expect(await look())
                return (isNot ? assertion.not : assertion)[name](...args)
              } catch (error) {
                if (tries === 200) throw error
                await new Promise(resolve => setTimeout(resolve, 5))
              }
            }
          }
        return wait(false)
      },
    },
  )

/** @type {{ name: string, run: () => Promise<void> }[]} */
export const tests = []
let group = { name: '', parent: null, beforeEach: [], afterEach: [], beforeAll: [], afterAll: [] }

function chain(start) {
  const groups = []
  for (let one = start; one; one = one.parent) groups.unshift(one)
  return groups
}

export function it(name, ...rest) {
  const body = rest.find(one => typeof one === 'function')
  if (!body) return
  const own = group
  const run = async () => {
    const groups = chain(own)
    const after = []
    try {
      for (const one of groups) {
        for (const hook of [...one.beforeAll, ...one.beforeEach]) {
          const undo = await hook({})
          if (typeof undo === 'function') after.push(undo)
        }
      }
      await body({ expect, task: { name }, onTestFinished: undo => after.push(undo) })
    } finally {
      for (const undo of after.reverse()) await undo()
      for (const one of groups.reverse()) for (const hook of [...one.afterEach, ...one.afterAll]) await hook({})
    }
  }
  tests.push({ name: [...chain(own).map(one => one.name), name].filter(Boolean).join(' › '), run })
}

export function describe(name, ...rest) {
  const body = rest.find(one => typeof one === 'function')
  const outer = group
  group = { name, parent: outer, beforeEach: [], afterEach: [], beforeAll: [], afterAll: [] }
  body?.()
  group = outer
}

const each =
  take =>
  (table, ...values) => {
    if (table.raw) throw new Error(`tables of text are not supported: ${values.length} values`)
    return (name, ...rest) => {
      const body = rest.find(one => typeof one === 'function')
      table.forEach((row, index) => {
        const args = Array.isArray(row) ? row : [row]
        take(`${name} ${index + 1}`, () => body(...args))
      })
    }
  }
for (const take of [it, describe]) {
  take.each = each(take)
  take.skip = () => undefined
  take.runIf = condition => (condition ? take : take.skip)
  take.skipIf = condition => (condition ? take.skip : take)
  take.sequential = take
}
export const test = it
export const beforeEach = hook => void group.beforeEach.push(hook)
export const afterEach = hook => void group.afterEach.push(hook)
export const beforeAll = hook => void group.beforeAll.push(hook)
export const afterAll = hook => void group.afterAll.push(hook)
/** Files begin with an empty list of hooks. */
export function nextFile(name) {
  group = { name, parent: null, beforeEach: [], afterEach: [], beforeAll: [], afterAll: [] }
}
