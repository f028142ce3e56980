import Testing
import TrendyModels

@Suite("APIError", .timeLimit(.minutes(10)))
struct APIErrorTests {
  private func problem(_ status: Int, type: String = "about:blank") -> APIError {
    .problem(ProblemDetails(type: type, status: status), retryAfter: nil)
  }

  @Test(
    "a missing response, 408, 425, 429 and every 5xx are transient",
    arguments: [
      (400, false), (401, false), (404, false), (407, false), (408, true), (409, false), (413, false), (422, false),
      (424, false), (425, true), (426, false), (428, false), (429, true), (430, false), (499, false), (500, true),
      (503, true), (599, true), (600, false),
    ])
  func transient(status: Int, isTransient: Bool) {
    #expect(APIError.httpError(status).isTransient == isTransient)
    #expect(problem(status).isTransient == isTransient)
    #expect(ProblemDetails(status: status).isTransient == isTransient)
    #expect(APIError.httpError(status).statusCode == status)
    #expect(problem(status).statusCode == status)
    #expect(APIError.httpError(status).isRateLimited == (status == 429))
  }

  @Test func `an error without a response has no status, and only a network error is transient`() {
    #expect(APIError.networkError("x").isTransient)
    #expect(!APIError.decodingError("x").isTransient)
    for error in [APIError.networkError("x"), .decodingError("x")] {
      #expect(error.statusCode == nil && error.retryAfter == nil && !error.isDuplicateError && !error.isRateLimited)
    }
  }

  @Test func `a duplicate is recognized by its type or by a bare 409`() {
    #expect(APIError.httpError(409).isDuplicateError)
    #expect(problem(409).isDuplicateError)
    #expect(problem(409, type: "urn:trendy:error:duplicate").isDuplicateError)
    #expect(problem(422, type: "urn:trendy:error:duplicate").isDuplicateError)
    #expect(!problem(409, type: "urn:trendy:error:log_reset").isDuplicateError)
    #expect(!problem(422).isDuplicateError)
    #expect(!APIError.httpError(404).isDuplicateError)
  }

  @Test func `Retry-After is kept with the error`() {
    let error = APIError.problem(ProblemDetails(status: 429), retryAfter: .seconds(30))
    #expect(error.retryAfter == .seconds(30))
    #expect(error.isRateLimited)
    #expect(APIError.httpError(429).retryAfter == nil)
    #expect(error != .problem(ProblemDetails(status: 429), retryAfter: .seconds(31)))
    #expect(Set([error, error]).count == 1)
  }

  @Test func `its text contains the hub's message`() {
    #expect("\(APIError.httpError(418))" == "The hub responded with status 418")
    #expect("\(APIError.networkError("connection refused"))" == "No response: connection refused")
    #expect("\(APIError.decodingError("id: expected a string"))" == "Invalid document: id: expected a string")
    #expect("\(ProblemDetails(status: 500))" == "Rejected by the hub (500)")
    #expect(
      "\(ProblemDetails(title: "Invalid", status: 422, detail: "name is empty", requestId: "r1"))"
        == "Invalid: name is empty (422, request r1)")
  }
}
