import { type KindName, type KindOperation, kindNamed, objectParameter } from "#contract/kinds.ts";
import type { Operation, OutputOf } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";
import type { FormAnswer } from "../http/form-routes.ts";
import { actionTexts } from "../texts/actions.ts";
import type { Ask } from "./ask.ts";
import { type FormProblems, hasProblem } from "./form-view.ts";
import { refusedFields } from "./refused-fields.ts";
import { asRefused } from "./shell.ts";
import { shownField, versionOf } from "./shown-version.ts";
import { type ConsolePage, redirect, type Visit } from "./visit.ts";

type Answer<O> = [O] extends [Operation] ? OutputOf<O> : never;
export type Stored<K extends KindName> = Answer<KindOperation<K, "find">>;

/** What a form page shows. */
export interface KindFormView<K extends KindName, Draft> {
  /** Null: it is yet to be made. */
  readonly stored: Stored<K> | null;
  /** What stands in the fields. */
  readonly draft: Draft;
  readonly done?: string | null;
  readonly problems?: FormProblems;
  readonly status?: number;
  /** Of what the form was filled from first; the form brings it back (`shownVersion`). */
  readonly version?: string | undefined;
}

/** How objects of a kind are made, changed and deleted in forms. */
export interface KindForm<K extends KindName, Draft> {
  readonly kind: K;
  /** New objects are sent here; each has its page below. */
  readonly path: `/${string}`;
  /** Where to go on after a change, unless `answered` says. */
  readonly after: (done: "created" | "changed" | "deleted", stored: Stored<K> | null) => string;
  readonly page: (visit: Visit, view: KindFormView<K, Draft>) => FormAnswer | Promise<FormAnswer>;
  /** Of a new one with a page of its own; absent: the list has its form. */
  readonly blank?: (visit: Visit) => Draft;
  /** Of a stored one; absent: it cannot be changed. */
  readonly drafted?: (stored: Stored<K>) => Draft;
  readonly typed: (form: URLSearchParams, stored: Stored<K> | null) => Draft;
  /** The body of the operation. */
  readonly body: (draft: Draft, stored: Stored<K> | null, form: URLSearchParams) => unknown;
  /** Fields that have a place for what is wrong with them. */
  readonly fields: (draft: Draft) => readonly string[];
  /** What a form says wrong before the operation is asked. */
  readonly problems?: (form: URLSearchParams, stored: Stored<K> | null) => FormProblems;
  /** A button that only changes the form; undefined: it is sent. */
  readonly stepped?: (form: URLSearchParams, draft: Draft) => Draft | undefined;
  /** An answer that has to be shown at once. */
  readonly answered?: (visit: Visit, answer: Answer<KindOperation<K, "create">>) => FormAnswer | undefined;
  /** Who may open the page of one; those who may write, unless told. */
  readonly shownTo?: "read";
}

/** The pages of a kind but its list, which shows each kind in its own way. */
export function kindPages<K extends KindName, Draft>(ask: Ask, form: KindForm<K, Draft>): readonly ConsolePage[] {
  const { kind, path, blank, drafted, page } = form;
  const { operations } = kindNamed(kind);
  const one = `${path}/{${parameterOf(kind)}}` as const;
  const access = "write";

  const show = async (visit: Visit): Promise<FormAnswer> => {
    const stored = await findStored(ask, visit, kind);
    if (drafted === undefined) throw new Error(`${kind} has no page`);
    const draft = drafted(stored);
    return page(visit, { stored, draft, done: visit.request.query.get("done"), version: versionOf(draft) });
  };
  const write = (visit: Visit, operation: Operation | undefined, stored: Stored<K> | null): Promise<FormAnswer> => {
    if (operation === undefined) throw new Error(`${kind} cannot be written`);
    return written(ask, form, visit, operation, stored);
  };
  const remove = async (visit: Visit): Promise<FormAnswer> => {
    if (operations.remove === undefined) throw new Error(`${kind} cannot be deleted`);
    await ask(visit, operations.remove, { params: namedIn(visit, kind) });
    return redirect(form.after("deleted", null));
  };

  return [
    ...(blank === undefined
      ? []
      : [
          {
            method: "GET",
            path: `${path}/new`,
            access,
            answer: async (visit: Visit) => page(visit, { stored: null, draft: blank(visit) }),
          } as const,
        ]),
    { method: "POST", path, access, answer: (visit) => write(visit, operations.create, null) },
    ...(drafted === undefined
      ? []
      : [
          { method: "GET", path: one, access: form.shownTo ?? access, answer: show } as const,
          {
            method: "POST",
            path: one,
            access,
            answer: async (visit: Visit) => write(visit, operations.update, await findStored(ask, visit, kind)),
          } as const,
        ]),
    { method: "POST", path: `${one}/delete`, access, answer: remove },
  ];
}

/** What the operation answers leads on; what it refuses leads back to the form, with what was typed. */
async function written<K extends KindName, Draft>(
  ask: Ask,
  form: KindForm<K, Draft>,
  visit: Visit,
  operation: Operation,
  stored: Stored<K> | null,
): Promise<FormAnswer> {
  const given = visit.request.form;
  const draft = form.typed(given, stored);
  const version = given.get(shownField) ?? undefined;
  const stepped = form.stepped?.(given, draft);
  if (stepped !== undefined) return form.page(visit, { stored, draft: stepped, version });
  const again = async (problems: FormProblems, status = 400, shown = version) =>
    asRefused(await form.page(visit, { stored, draft, problems, status, version: shown }));
  const problems = form.problems?.(given, stored) ?? {};
  if (hasProblem(problems)) return again(problems);
  const now = versionNow(form, stored);
  if (isChanged(version, now)) return again({ "": actionTexts.changedMeanwhile }, 409, now);
  try {
    return await sent(ask, form, visit, operation, { stored, draft });
  } catch (error) {
    return again(refusedFields(error, form.fields(draft)));
  }
}

async function sent<K extends KindName, Draft>(
  ask: Ask,
  form: KindForm<K, Draft>,
  visit: Visit,
  operation: Operation,
  { stored, draft }: Pick<KindFormView<K, Draft>, "stored" | "draft">,
): Promise<FormAnswer> {
  const params = stored === null ? {} : visit.request.params;
  const answer = await ask(visit, operation, { params, body: form.body(draft, stored, visit.request.form) });
  const shown = form.answered?.(visit, answer as Answer<KindOperation<K, "create">>);
  return shown ?? redirect(form.after(stored === null ? "created" : "changed", stored));
}

function versionNow<K extends KindName, Draft>({ drafted }: KindForm<K, Draft>, stored: Stored<K> | null): string | undefined {
  return stored === null || drafted === undefined ? undefined : versionOf(drafted(stored));
}

/** A form that does not tell what it was filled from is taken as it is. */
function isChanged(shown: string | undefined, now: string | undefined): boolean {
  return shown !== undefined && now !== undefined && shown !== now;
}

/** The object that the address names. @throws {AppError} not_found also for what is no id, and for objects of other accounts */
export async function findStored<K extends KindName>(ask: Ask, visit: Visit, kind: K): Promise<Stored<K>> {
  const { find } = kindNamed(kind).operations;
  if (find === undefined) throw new Error(`${kind} cannot be read`);
  return (await ask(visit, find, { params: namedIn(visit, kind) })) as Stored<K>;
}

/** @throws {AppError} not_found for what is no id */
function namedIn({ request: { params } }: Visit, kind: KindName): Readonly<Record<string, string>> {
  const { idType, title } = kindNamed(kind);
  const name = parameterOf(kind);
  const id = params[name] ?? "";
  if (idType === "number" && !/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", `There is no such ${title}.`);
  return { [name]: id };
}

function parameterOf(kind: KindName): string {
  const { remove } = kindNamed(kind).operations;
  return (remove && objectParameter(remove)) ?? "id";
}
