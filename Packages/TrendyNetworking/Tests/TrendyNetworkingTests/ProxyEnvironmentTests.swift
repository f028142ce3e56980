import Testing

@testable import TrendyNetworking

@Suite("ProxyEnvironment")
struct ProxyEnvironmentTests {
  @Test(
    "the variable that applies is reported",
    arguments: [
      (["http_proxy": "http://proxy:3128"], "http_proxy"),
      (["all_proxy": "http://proxy:3128", "no_proxy": "example.com"], "all_proxy"),
      (["ALL_PROXY": "http://proxy:3128", "no_proxy": "27.0.0.1,127.0.0.2"], "ALL_PROXY"),
      (["http_proxy": "http://proxy:3128", "no_proxy": "127.0.0.0/8"], "http_proxy"),
    ])
  func takes(environment: [String: String], variable: String) {
    #expect(ProxyEnvironment(environment).variable(for: "127.0.0.1") == variable)
  }

  @Test(
    "no_proxy is respected",
    arguments: [
      [:], ["http_proxy": ""], ["HTTP_PROXY": "http://proxy:3128"], ["https_proxy": "http://proxy:3128"],
      ["http_proxy": "http://proxy:3128", "no_proxy": "*"],
      ["http_proxy": "http://proxy:3128", "no_proxy": "example.com, 127.0.0.1"],
      ["http_proxy": "http://proxy:3128", "NO_PROXY": "127.0.0.1"],
    ])
  func leaves(environment: [String: String]) {
    #expect(ProxyEnvironment(environment).variable(for: "127.0.0.1") == nil)
  }

  @Test func `no_proxy matches subdomains`() {
    let environment = ProxyEnvironment(["http_proxy": "http://proxy:3128", "no_proxy": ".localhost"])
    #expect(environment.variable(for: "localhost") == nil)
    #expect(environment.variable(for: "notlocalhost") == "http_proxy")
  }
}
