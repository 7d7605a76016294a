/** A call's answer. */
export interface Reply {
  about: string;
  payload: string;
}

/** One request and its response; the native part answers at once, the program a little later. */
export interface Exchange {
  begin(contentType: string): void | Promise<void>;
  see(data: Uint8Array): Uint8Array | Promise<Uint8Array>;
  end(): Step | Promise<Step>;
  fail(status: number, message: string): Uint8Array | Promise<Uint8Array>;
}

export interface Step {
  out: Uint8Array;
  send?: Uint8Array | null;
}

export interface Opened {
  about: string;
  body: Uint8Array;
  exchange?: Exchange | null;
}

export interface Core {
  call(operation: string, options: string, payload: string): Reply;
  callAsync(operation: string, options: string, payload: string): Promise<Reply>;
  open(options: string, body: Uint8Array): Promise<Opened>;
}

export function program(): string | undefined;
export function core(): Core | undefined;
