import TrendyModels

extension ImportHandlers {
  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "imports", name: "listImports",
        summary: "Lists uploads and finished imports, oldest first.",
        answers: [.json(200, "the imports", .list(.named("Import")))], .device(list)),
      HubRoute(
        .post, "imports", name: "beginImport",
        summary: "Starts an upload. Repeated with the same id, returns its progress.",
        body: .object([
          .required("id", .identifier), .required("name", .string), .required("size", .integer(1...Int64.max / 4)),
        ]), answers: [.json(201, "the upload", .named("Import"))], .device(begin)),
      HubRoute(
        .get, "imports/{id}", name: "getImport", summary: "Returns the progress of an upload or import.",
        answers: [.json(200, "the import", .named("Import"))], .device(show)),
      HubRoute(
        .delete, "imports/{id}", name: "cancelImport", summary: "Deletes an upload, or stops its import.",
        answers: [.nothing("deleted, or stopping")], .device(cancel)),
      HubRoute(
        .put, "imports/{id}/content", name: "sendImportPart",
        summary: "Sends a part of a file, at most part_bytes long. A repeated part is ignored.",
        query: [.init("offset", .counter, "offset of the part in the file; default 0")],
        takesBytes: true, answers: [.json(200, "the import with its progress", .named("Import"))],
        .device(takePart)),
      HubRoute(
        .post, "imports/{id}/preview", name: "previewImport",
        summary: "Starts a dry run of a completely uploaded file; nothing is written.",
        body: Self.choice, answers: [.json(202, "the import", .named("Import"))], .device(preview)),
      HubRoute(
        .post, "imports/{id}/commit", name: "commitImport", summary: "Starts the import of an uploaded file.",
        body: Self.choice,
        answers: [.json(202, "the import", .named("Import"))], .device(commit)),
      HubRoute(
        .post, "imports/{id}/undo", name: "undoImport",
        summary: "Starts deleting the entries of an import that have not been edited since.",
        answers: [.json(202, "the import", .named("Import"))], .device(undo)),
    ]
  }

  private static let choice = HubSchema.object([
    .required("zone", .string), .optional("types", .list(.string)), .optional("date_format", .words(["dmy", "mdy"])),
    .optional("type_map", .map(.string)), .optional("other_zone", .boolean),
  ])

}

extension HubSchema {
  static let importFile = HubSchema.object([
    .required("id", .string), .required("source", .string), .required("state", .words(ImportJobs.Stage.words)),
    .required("started_at", .date), .optional("size", .counter), .optional("received", .counter),
    .optional("read", .counter), .optional("part_bytes", .counter), .optional("preview", ImportSummary.schema),
    .optional("result", ImportSummary.schema), .optional("problem", .problem), .optional("removed", .counter),
    .optional("left", .counter),
    .required(
      "import",
      .nullable(
        .object([
          .required("format", .string), .required("finished_at", .nullable(.date)),
          .required("undone_at", .nullable(.date)), .required("made", .map(.counter)),
        ]))),
  ])
}
