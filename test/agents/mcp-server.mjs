// An MCP server over stdio with one tool: `release` writes the file `<name>.txt` into its
// directory.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const directory = process.argv[2]
const inputSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, environment: { type: 'string' }, force: { type: 'boolean' } },
  required: ['name'],
}
const tools = [{ name: 'release', description: 'Release the product to an environment', inputSchema }]

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'deploy', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': params => {
    writeFileSync(join(directory, `${params.arguments.name}.txt`), JSON.stringify(params.arguments))
    return { content: [{ type: 'text', text: 'It is released.' }] }
  },
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]?.(params ?? {})
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
})
