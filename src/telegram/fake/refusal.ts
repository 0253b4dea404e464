/** An answer of the Bot API that is not `ok`. */
export class Refusal extends Error {
  readonly code: number
  readonly parameters: { retry_after?: number; migrate_to_chat_id?: number } | undefined

  constructor(code: number, description: string, parameters?: Refusal['parameters']) {
    super(description)
    this.code = code
    this.parameters = parameters
  }

  get body(): Record<string, unknown> {
    return {
      ok: false,
      error_code: this.code,
      description: this.message,
      ...(this.parameters && { parameters: this.parameters }),
    }
  }
}

export function badRequest(what: string): Refusal {
  return new Refusal(400, `Bad Request: ${what}`)
}
