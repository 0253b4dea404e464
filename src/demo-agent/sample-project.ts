import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SignalboxError } from '../errors/index.js'

const CART = `// A shopping cart: items have a price in cents and a quantity.

export function subtotal(items) {
  return items.reduce((sum, item) => sum + item.price * item.quantity, 0)
}

export function total(items, discountPercent = 0) {
  const sum = subtotal(items)
  return sum - discountPercent
}

export function format(cents) {
  return \`\${(cents / 100).toFixed(2)} EUR\`
}
`

const CART_FROM_TEST = '../src/cart.js'
const CART_TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, subtotal, total } from '${CART_FROM_TEST}'

const items = [
  { name: 'lamp', price: 2500, quantity: 2 },
  { name: 'lever', price: 1000, quantity: 1 },
]

test('adds up prices and quantities', () => {
  assert.equal(subtotal(items), 6000)
})

test('takes the discount as a percentage', () => {
  assert.equal(total(items, 10), 5400)
})

test('prints cents as euros', () => {
  assert.equal(format(5400), '54.00 EUR')
})
`

/** The bug that the tour finds, and its fix. The scenario and the tests both use these. */
export const SAMPLE_BUG = {
  path: 'src/cart.js',
  find: 'return sum - discountPercent',
  replace: 'return sum - Math.round((sum * discountPercent) / 100)',
}

const SAMPLE_FILES: Record<string, string> = {
  'package.json': `${JSON.stringify({ name: 'station-shop', version: '1.0.0', private: true, type: 'module', scripts: { test: 'node --test --test-reporter=spec' } }, null, 2)}\n`,
  'README.md':
    '# Station shop\n\nA tiny shop: it adds up a cart and takes off a discount. `npm test` runs the tests.\n',
  '.gitignore': 'node_modules\n',
  'src/cart.js': CART,
  'test/cart.test.js': CART_TEST,
}

/** Writes a tiny Node project with one bug and a failing test, as a git repository. */
export function writeSampleProject(directory: string): void {
  for (const [path, text] of Object.entries(SAMPLE_FILES)) {
    const file = join(directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  git(directory, 'init', '--quiet', '--initial-branch=main')
  git(directory, 'add', '--all')
  git(directory, '-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message', 'A shop with a bug')
}

function git(directory: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=Signalbox demo', '-c', 'user.email=demo@signalbox.invalid']
  const { status, stderr, error } = spawnSync('git', [...identity, ...args], { cwd: directory, encoding: 'utf8' })
  if (error || status !== 0)
    throw new SignalboxError('E_GIT', `git ${args[0]} failed in ${directory}: ${error?.message ?? stderr.trim()}`)
}
