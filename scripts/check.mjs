// `npm run check`: formatter and linter, types, the rules of the house, unused code, and the docs.
// As many checks at a time as there are processors; each prints its output when it has ended.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { generate, install, requireNode, root } from './setup.mjs'

requireNode()
install()
generate()

const ofPackage = (...path) => join(root, 'node_modules', ...path)
const ofScripts = name => join(root, 'scripts', name)
// The page and its tests are compiled with the types of a browser; everything else must not use
// them.
const projects = ['tsconfig.check.json', join('web', 'tsconfig.json'), join('test', 'web', 'tsconfig.json')]
const checks = [
  ...projects.map(project => [ofPackage('typescript', 'bin', 'tsc'), '-p', project]),
  [ofPackage('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'],
  // Files, exports and dependencies that nothing uses (knip.jsonc).
  [ofPackage('knip', 'bin', 'knip.js'), '--no-progress'],
  [ofScripts('generate-docs.mjs'), '--check'],
  [ofScripts('check-house.mjs')],
  [ofScripts('check-prose.mjs')],
]

let next = 0
async function runChecks() {
  while (next < checks.length) if (!(await succeeds(checks[next++]))) process.exitCode = 1
}
await Promise.all(Array.from({ length: availableParallelism() }, runChecks))

function succeeds(command) {
  return new Promise(resolve => {
    const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', data => output.push(data))
    child.on('error', error => output.push(`${error.message}\n`))
    child.on('close', code => {
      process.stderr.write(Buffer.concat(output.map(data => Buffer.from(data))))
      resolve(code === 0)
    })
  })
}
