// The first steps of every entry script: install the locked packages if they are missing or
// outdated, and build if the sources changed. Uses nothing but Node, because a fresh clone has
// nothing else.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stampFile = join(root, 'node_modules', '.signalbox-lock')
const webConfig = join(root, 'web', 'vite.config.mjs')
const buildStamp = join(root, 'dist', '.stamp')

export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Signalbox needs Node 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(6)
}

/** Runs a program without a shell. If it fails, this process exits with its code. */
export function run(command, args, options = {}) {
  // Ctrl-C goes to both: without a listener this process would end before the program has.
  const wait = () => undefined
  process.on('SIGINT', wait)
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  process.off('SIGINT', wait)
  if (result.error) {
    console.error(`${command}: ${result.error.message}`)
    process.exit(1)
  }
  if (result.signal === 'SIGINT') process.exit(130)
  if (result.status !== 0) process.exit(result.status ?? 1)
}

/** The output of npm goes to stderr, so that stdout stays machine-readable. */
function npm(args) {
  const cli = process.env.npm_execpath
  const stdio = ['ignore', 2, 2]
  if (cli && /\.c?js$/.test(cli)) run(process.execPath, [cli, ...args], { stdio })
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { stdio })
}

export function install() {
  const want = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const have = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
  if (have === want) return
  console.error('Installing packages (once; a minute or two) …')
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(stampFile, want)
}

function* filesBelow(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else yield path
  }
}

/** A hash of the size and time of every source: a build is skipped only if nothing changed. */
function fingerprint() {
  const hash = createHash('sha256')
  for (const path of ['src', 'web', 'package.json', join('scripts', 'bundle.mjs'), join('scripts', 'man-page.mjs')].map(
    p => join(root, p),
  )) {
    const files = statSync(path).isDirectory() ? [...filesBelow(path)].sort() : [path]
    for (const file of files) {
      const { size, mtimeMs } = statSync(file)
      hash.update(`${file}\0${size}\0${mtimeMs}\n`)
    }
  }
  return hash.digest('hex')
}

/** Source files that are made from others and not kept in the repository. */
export function generate() {
  run(process.execPath, [join(root, 'scripts', 'generate-client.mjs')], { stdio: ['ignore', 2, 2] })
}

export function build({ force = false } = {}) {
  generate()
  const want = fingerprint()
  if (!force && existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === want) return
  console.error('Building …')
  run(process.execPath, [join(root, 'scripts', 'bundle.mjs')], { stdio: ['ignore', 2, 2] })
  run(process.execPath, [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--config', webConfig], {
    stdio: ['ignore', 2, 2],
  })
  // The types of the client library, for programs that import it.
  const types = ['--project', join(root, 'tsconfig.client.json')]
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...types], { stdio: ['ignore', 2, 2] })
  chmodSync(join(root, 'dist', 'cli.js'), 0o755)
  mkdirSync(dirname(buildStamp), { recursive: true })
  writeFileSync(buildStamp, want)
}
