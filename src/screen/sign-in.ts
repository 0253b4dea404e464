import { displayWidth } from '../text/index.js'
import { isBlank, type ScreenRow } from './screen-row.js'
import type { Payload } from './view.js'

/*
 * A sign-in without a menu: the program shows an address or a code, or waits for the browser, and
 * has no input box. It is the last thing on the screen; the same words further up were printed
 * before.
 */
const WORDS =
  /\b(?:sign(?:ing)?[- ]?in|log(?:ging)?[- ]?in|authenticat\w*|authoriz\w*|device code|verification code|one-time code)\b/iu
const WAITS =
  /\bwaiting for (?:authentication|authorization|login|sign[- ]?in|(?:the |your )?browser|approval)\b|\b(?:press|hit) (?:return|enter) to (?:open|continue|retry|try again|sign in|log ?in|authenticate)\b|\bpaste (?:the |your )?(?:code|token)\b/iu
/** The browser shows a code that belongs here. */
const PASTES = /\bpaste (?:the |your )?(?:\p{L}+ )?(?:code|token)\b/iu
const ADDRESS = /https?:\/\/[^\s"'<>│┃║]+/u
const CODE = /(?:^|[\s:])(?<code>[A-Z0-9]{4,5}-[A-Z0-9]{4,5}(?:-[A-Z0-9]{4,5})?)(?=$|[\s.,])/u
/** `Sign in with Acme`: one of several ways, whatever frame is around it. */
const WAY = /^[^\p{L}\p{N}]*(?:\d[.)] )?(?:sign|log) ?in with\b/iu
/** Rows of the dialog, counted from the last one. */
const ROWS = 14

type SignIn = Omit<Payload['auth_required'], 'menu'>

export function findSignIn(rows: readonly ScreenRow[], cols: number): SignIn | null {
  const shown = rows.filter(row => !isBlank(row)).slice(-ROWS)
  const text = shown.map(row => row.text).join('\n')
  if (!WORDS.test(text)) return null
  const found = signInDetails(shown, cols)
  const hasWays = shown.filter(row => WAY.test(row.text)).length >= 2
  return found.url !== undefined || found.code !== undefined || WAITS.test(text) || hasWays ? found : null
}

/** What the last rows of a screen say about signing in. */
export function shownSignIn(rows: readonly ScreenRow[], cols: number): SignIn {
  return signInDetails(rows.filter(row => !isBlank(row)).slice(-ROWS), cols)
}

/** What a person needs to sign in: the address, and a code to type there. */
export function signInDetails(rows: readonly ScreenRow[], cols: number): SignIn {
  const code = rows.map(row => CODE.exec(row.text)?.groups?.code).find(found => found !== undefined)
  const url = addressIn(rows, cols)
  const isPasted = code === undefined && rows.some(row => PASTES.test(row.text))
  return {
    method: code !== undefined ? 'device' : isPasted ? 'paste' : 'login',
    ...(url !== undefined && { url }),
    ...(code && { code }),
  }
}

/** The longest address; one that fills its row continues in the next. */
function addressIn(rows: readonly ScreenRow[], cols: number): string | undefined {
  const found = rows.flatMap((row, index) => {
    const match = ADDRESS.exec(row.text)
    if (!match) return []
    let url = match[0]
    let isFull = match.index + url.length >= row.text.trimEnd().length && displayWidth(row.text) >= cols - 4
    for (let next = index + 1; isFull && rows[next]; next++) {
      const rest = /^\s*(?<rest>[^\s"'<>│┃║]+)\s*$/u.exec(rows[next]!.text)?.groups?.rest
      if (rest === undefined || ADDRESS.test(rest)) break
      url += rest
      isFull = displayWidth(rows[next]!.text) >= cols - 4
    }
    return [url.replace(/[.,;)]+$/u, '')]
  })
  return found.sort((a, b) => b.length - a.length)[0]
}

/** An agent that says with a live input box that no account is signed in. */
export function saysSignedOut(text: string): boolean {
  return (
    text.length < 300 &&
    // A refused request is an error; the agent may try again.
    !/\b(?:api error|40[13])\b/iu.test(text) &&
    /\b(?:not (?:logged|signed|authenticated) ?in|not authenticated|(?:please )?(?:run|use) \/log ?in|no api key|api key (?:is )?(?:required|missing)|no models available)\b/iu.test(
      text,
    )
  )
}
