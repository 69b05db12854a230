// From a call to its answer: method, parameters, authentication, input, handler. The order of the checks is
// the reference's: parameters, then authentication, then the body.

import type { Lexicons } from '@atproto/lexicon'
import { isValidNsid } from '@atproto/syntax'
import { invalidRequest, methodNotImplemented } from '../../base/atproto/xrpc-error.ts'
import { type CallTime, inLaterTurn } from '../../base/util/turn.ts'
import { costOf, type MethodCost } from '../overload/method-costs.ts'
import type { Overload } from '../overload/overload.ts'
import type { Authenticate } from './auth.ts'
import { createDeadlines } from './deadlines.ts'
import { type Answer, resultAnswer } from './http-answer.ts'
import type { HttpRequest } from './http-request.ts'
import {
  createInputParser,
  createParamsParser,
  type InputParser,
  type ParamsParser,
} from './input.ts'
import { type AcceptLabelers, parseAcceptLabelers } from './labelers.ts'
import type { Method, MethodContext, Params } from './method.ts'
import { readRequestBody } from './request-body.ts'
import { countFrom } from './wait-left.ts'

export type Dispatch = (nsid: string, request: HttpRequest) => Promise<Answer>

type Route = {
  method: Method
  httpMethod: 'GET' | 'POST'
  parseParams: ParamsParser
  parseInput: InputParser
  cost: MethodCost
}

/** @throws immediately if a method has no lexicon, or one of another kind. */
export function createDispatch(options: {
  methods: Method[]
  lexicons: Lexicons
  authenticate: Authenticate
  timeoutMs: number
  /** By default, all named labelers apply. */
  acceptLabelers?: AcceptLabelers
  overload: Overload
}): Dispatch {
  const { lexicons, authenticate, timeoutMs, overload } = options
  const { acceptLabelers = parseAcceptLabelers } = options
  const deadlines = createDeadlines(timeoutMs)
  const routes = new Map(
    options.methods.map((method) => [method.nsid, createRoute(method, lexicons)]),
  )

  return async (nsid, request) => {
    const arrivedAt = Date.now()
    const route = routes.get(nsid)
    if (!route) throw unknownMethod(nsid, request, lexicons)
    checkHttpMethod(route.httpMethod, request)
    const { method } = route
    const params = route.parseParams(request.search)
    const { clock } = request
    const identity = await authenticate(method, request, overload.askerFor(request))
    clock?.mark('token')
    const viewer = method.forStrangers ? undefined : identity.viewer
    const caller = overload.admit(request, viewer, route.cost.points)
    const input = hasBody(request)
      ? await readInput(route, request, caller.time)
      : route.parseInput(NO_BODY, '')
    const labelers = acceptLabelers(request.header('atproto-accept-labelers'), viewer)
    const given = { params, input }
    const byDid = method.byDid ? caller.time.run(() => method.byDid!(given, caller)) : given
    const named = byDid instanceof Promise ? await byDid : byDid
    const context = new Context(
      { ...identity, ...named, who: caller.who, labelers },
      { method, request, timeoutMs, arrivedAt, time: caller.time },
    )
    const ready = method.ready && caller.time.run(() => method.ready!(context))
    if (ready) await ready
    clock?.mark('wait')
    const handle = () => method.handler(context)
    const run = () => {
      const result = clock ? clock.handled(handle) : handle()
      if (!(result instanceof Promise)) return resultAnswer(result)
      return deadlines.inTime(result.then(inLaterTurn(resultAnswer)))
    }
    const isGone = () => method.kind === 'query' && request.isGone
    const answering = overload.run<Answer>(caller, { run, isHeavy: route.cost.isHeavy, isGone })
    const answer = answering instanceof Promise ? await answering : answering
    clock?.mark('handler')
    return answer
  }
}

const NO_BODY = Buffer.alloc(0)

function createRoute(method: Method, lexicons: Lexicons): Route {
  const { nsid, kind } = method
  lexicons.getDefOrThrow(nsid, [kind])
  return {
    method,
    httpMethod: kind === 'procedure' ? 'POST' : 'GET',
    parseParams: createParamsParser(lexicons, nsid),
    parseInput: createInputParser(lexicons, nsid),
    cost: costOf(method),
  }
}

/** 501 for methods that we lack; 400 for methods that do not exist. */
function unknownMethod(nsid: string, request: HttpRequest, lexicons: Lexicons): Error {
  if (!isValidNsid(nsid)) return invalidRequest('invalid xrpc path')
  const kind = lexicons.getDef(nsid)?.type
  if (kind === 'query') checkHttpMethod('GET', request)
  if (kind === 'procedure') checkHttpMethod('POST', request)
  return methodNotImplemented()
}

/** 400 rather than 405, as in the reference. */
function checkHttpMethod(expected: 'GET' | 'POST', { method }: HttpRequest): void {
  if (method === expected || (method === 'HEAD' && expected === 'GET')) return
  throw invalidRequest(`Incorrect HTTP method (${method}) expected ${expected}`)
}

function hasBody(request: HttpRequest): boolean {
  if (request.header('transfer-encoding') !== undefined) return true
  return (request.header('content-length') ?? '0') !== '0' || request.method === 'POST'
}

/** Checking a body is a turn of its call, too. */
async function readInput(route: Route, request: HttpRequest, time: CallTime): Promise<unknown> {
  const isQuery = request.method === 'GET' || request.method === 'HEAD'
  if (isQuery) throw invalidRequest('A request body was provided when none was expected')
  const body = await readRequestBody(request)
  return time.part(() => route.parseInput(body, request.header('content-type')))
}

type Call = {
  method: Method
  request: HttpRequest
  timeoutMs: number
  arrivedAt: number
  time: CallTime
}

/** Creates its signal only if a handler reads it. */
class Context implements MethodContext {
  readonly viewer: string | undefined
  readonly token: string | undefined
  readonly isOperator: boolean | undefined
  readonly isByLink: boolean | undefined
  readonly who: MethodContext['who']
  readonly params: Params
  readonly input: unknown
  readonly labelers: MethodContext['labelers']
  readonly time: CallTime
  readonly #call: Call
  #signal: AbortSignal | undefined

  constructor(
    known: Omit<MethodContext, 'signal' | 'header' | 'headersWith' | 'time'>,
    call: Call,
  ) {
    this.viewer = known.viewer
    this.token = known.token
    this.isOperator = known.isOperator
    this.isByLink = known.isByLink
    this.who = known.who
    this.params = known.params
    this.input = known.input
    this.labelers = known.labelers
    this.time = call.time
    this.#call = call
  }

  header(name: string): string | undefined {
    return this.#call.request.header(name)
  }

  headersWith(prefix: string): Record<string, string> {
    return this.#call.request.headersWith(prefix)
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#call)
    return this.#signal
  }
}

/** Procedures are not aborted when their client disconnects. */
function signalOf({ method, request, timeoutMs, arrivedAt, time }: Call): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = method.kind === 'query' ? AbortSignal.any([request.signal, timeout]) : timeout
  countFrom(signal, { arrivedAt, time })
  return signal
}
