import { z } from "zod";

const Project = z.object({ id: z.string(), logicalId: z.string(), name: z.string() });
const Binding = z.object({ project: Project, binding: z.object({ logicalId: z.string(), pending: z.boolean() }) });

/** Which projects of code own an object, or refer to it (reference, ProjectBindingsV1). */
export const ProjectBindings = z
  .object({ owner: Binding.nullable(), references: z.array(Binding) })
  .describe("the project of code that owns it, and those whose code refers to it; pending: an import brought it, which is not committed")
  .meta({ id: "ProjectBindings" });
export type ProjectBindings = z.infer<typeof ProjectBindings>;

export const noProjectBindings: ProjectBindings = { owner: null, references: [] };
