import TrendyModels

/// OpenAPI 3.1 document generated from the table of routes.
struct OpenAPIDocument {
  let value: JSONValue

  init(_ routes: [HubRoute]) {
    let server = HubRoute.prefix.map { "/\($0)" }.joined()
    var paths: [String: JSONValue] = [:]
    for (address, same) in Dictionary(grouping: routes.filter(\.isDocumented), by: \.address) {
      var item = Dictionary(same.map { ($0.method.rawValue.lowercased(), Self.operation($0)) }) { first, _ in first }
      if let parameters = same.first?.parameters, !parameters.isEmpty {
        item["parameters"] = .array(
          parameters.map { ["name": .string($0), "in": "path", "required": true, "schema": HubSchema.string.document] })
      }
      paths[String(address.dropFirst(server.count))] = .object(item)
    }
    value = [
      "openapi": "3.1.0",
      "info": [
        "title": "Trendy hub", "version": "1",
        "description": "HTTP API of the hub for devices and other programs. See docs/api.md and docs/api-sync.md.",
        "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
      ],
      "servers": [["url": .string(server)]],
      "security": [["token": []]],
      "paths": .object(paths),
      "components": [
        "schemas": .object(HubSchema.components.mapValues(\.document)),
        "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
      ],
    ]
  }

  private static func operation(_ route: HubRoute) -> JSONValue {
    var operation: [String: JSONValue] = [
      "operationId": .string(route.name), "summary": .string(route.summary),
      "responses": .object(
        Dictionary(route.answers.map { ("\($0.status)", response($0)) }, uniquingKeysWith: { first, _ in first })
          .merging([
            "default": [
              "description": "the reason for the failure",
              "content": ["application/problem+json": ["schema": HubSchema.problem.document]],
            ]
          ]) { $1 }),
    ]
    if route.access == .open { operation["security"] = [] }
    let parameters = route.query.map { parameter($0, in: "query") } + route.headers.map { parameter($0, in: "header") }
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if let body = route.body {
      operation["requestBody"] = ["required": true, "content": ["application/json": ["schema": body.document]]]
    }
    if route.takesBytes {
      operation["requestBody"] = ["required": true, "content": ["application/octet-stream": [:]]]
    }
    return .object(operation)
  }

  private static func parameter(_ query: HubRoute.Parameter, in place: String) -> JSONValue {
    [
      "name": .string(query.name), "in": .string(place), "description": .string(query.meaning),
      "schema": query.schema.document,
    ]
  }

  private static func response(_ answer: HubRoute.Answer) -> JSONValue {
    var response: [String: JSONValue] = ["description": .string(answer.meaning)]
    switch answer.body {
    case .json(let schema): response["content"] = ["application/json": ["schema": schema.document]]
    case .lines: response["content"] = ["application/x-ndjson": [:]]
    case .events: response["content"] = ["text/event-stream": [:]]
    case .file(let types): response["content"] = .object(Dictionary(uniqueKeysWithValues: types.map { ($0, [:]) }))
    case .nothing: break
    }
    return .object(response)
  }
}
