// `npm run check`: formatter and linter, types, the rules of the house, unused code, and the docs.
import { join } from 'node:path'
import { generate, install, requireNode, root, run } from './setup.mjs'

requireNode()
install()
generate()
run(process.execPath, [
  join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'),
  'check',
  '--error-on-warnings',
  '.',
])
// The page and its tests are compiled with the types of a browser; everything else must not use
// them.
for (const project of ['tsconfig.check.json', join('web', 'tsconfig.json'), join('test', 'web', 'tsconfig.json')])
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', project])
run(process.execPath, [join(root, 'scripts', 'check-house.mjs')])
run(process.execPath, [join(root, 'scripts', 'check-prose.mjs')])
// Files, exports and dependencies that nothing uses (knip.jsonc).
run(process.execPath, [join(root, 'node_modules', 'knip', 'bin', 'knip.js'), '--no-progress'])
run(process.execPath, [join(root, 'scripts', 'generate-docs.mjs'), '--check'])
