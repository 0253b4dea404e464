import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/*
 * Every row of the incident table, with the tests that prove it: those of the server are in server.test.ts under their own number, those
 * of other rooms stand where what they test stands. A pointer that leads nowhere fails here. Rows that are not in the list (S32,
 * S33) have no single test that proves them yet.
 */
const HERE = 'test/security/server.test.ts'
const PROOFS: Readonly<Record<string, readonly (readonly [file: string, test: string])[]>> = {
  S1: [
    [HERE, 'S1 open local HTTP server'],
    ['test/server/contract.test.ts', 'nobody without a login, whatever the Origin'],
  ],
  S2: [
    [HERE, 'S2 cross-origin WebSocket to loopback'],
    ['test/server/terminal.test.ts', 'nothing flows before a proof'],
  ],
  S3: [[HERE, 'S3 DNS rebinding']],
  S4: [[HERE, 'S4 proxy or inspector']],
  S5: [[HERE, 'S5 CSRF on dangerous actions']],
  S6: [[HERE, 'S6 wildcard CORS']],
  S7: [[HERE, 'S7 shell injection through parameters']],
  S8: [
    [HERE, 'S8 script injection into a terminal bridge'],
    ['test/server/terminal.test.ts', 'what is typed reaches the program as bytes'],
  ],
  S9: [[HERE, 'S9 server address or token from a link']],
  S10: [[HERE, 'S10 token leaked to another local port']],
  S11: [[HERE, 'S11 unauthenticated settings write']],
  S12: [
    [HERE, 'S12 claimed scopes'],
    ['test/server/contract.test.ts', 'each role may do what it may, and no more'],
  ],
  S13: [[HERE, 'S13 revoked secret still valid']],
  S14: [['test/security/others.test.ts', 'S14 flags smuggled in text']],
  S15: [['src/host/trust/trust-book.test.ts', 'is not run before somebody let it, and then as it was']],
  S16: [['src/config/load.test.ts', 'is not read before it is trusted']],
  S17: [
    [
      'src/host/trust/trust-book.test.ts',
      'that was taken back is asked about; so is another repository at the same path',
    ],
  ],
  S18: [
    ['src/host/trust/trust-book.test.ts', 'that changed is asked about again, with what is different'],
    ['test/e2e/graphs.test.ts', 'a graph that changed meanwhile is not gone on with unless it is named'],
  ],
  S19: [
    [HERE, 'S19 symlinks out of the allowed place'],
    ['src/sessions/files.test.ts', 'a directory that is swapped for a link at any moment never leads out'],
  ],
  S20: [[HERE, 'S20 predictable temporary file']],
  S21: [[HERE, 'S21 prefix comparison of hosts or paths']],
  S22: [['src/approvals/decide.test.ts', 'names the whole fingerprint']],
  S23: [['src/approvals/approval-table.test.ts', 'silence never approves']],
  S24: [['src/approvals/decide.test.ts', 'the role is the one in this project, whatever the surface claims']],
  S25: [['src/approvals/record.test.ts', 'is not applied without a decision']],
  S26: [['src/approvals/display.test.ts', 'what is hidden is shown, and counted']],
  S27: [['src/text/visible.test.ts', 'no control, no escape and nothing invisible is left, whatever comes in']],
  S28: [
    [
      'src/approvals/request-from-report.test.ts',
      'dialogs about trust, accounts, updates and money are for a person alone',
    ],
  ],
  S29: [['src/approvals/grants.test.ts', 'no text with a shell operator ever matches a prefix']],
  S30: [['test/security/others.test.ts', 'S30 self-raised permission modes']],
  S31: [['src/agents/own-session.test.ts', 'a new one gets our id, an old one is gone on with']],
  S34: [['test/security/others.test.ts', 'S34 poisoned install']],
  S35: [[HERE, 'S35 secrets in shared logs']],
}

test.each(Object.entries(PROOFS))('%s has its proof', (_, proofs) => {
  const root = join(import.meta.dirname, '..', '..')
  for (const [file, name] of proofs) {
    const text = readFileSync(join(root, file), 'utf8')
    expect(
      new RegExp(`^[^*]*['"\`][^\\n]*${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`, 'm').test(text),
      `${file}: ${name}`,
    ).toBe(true)
  }
})
