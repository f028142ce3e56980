// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendyHubPostgres",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "PostgresTesting", targets: ["PostgresTesting"]),
    .library(name: "TrendyHubPostgres", targets: ["TrendyHubPostgres"]),
  ],
  dependencies: [
    .package(path: "../TrendyHub"), .package(path: "../TrendyModels"), .package(path: "../TrendyPersistence"),
    .package(path: "../TrendyProtocols"),
  ],
  targets: [
    .target(name: "PostgresTesting", dependencies: ["TrendyHubPostgres"]),
    .target(
      name: "TrendyHubPostgres", dependencies: ["CPostgres", "TrendyHub", "TrendyModels", "TrendyPersistence"]),
    .testTarget(
      name: "TrendyHubPostgresTests",
      dependencies: [
        .product(name: "HubTesting", package: "TrendyHub"), "PostgresTesting", "TrendyHub", "TrendyHubPostgres",
        "TrendyModels", "TrendyPersistence", "TrendyProtocols",
      ]),
  ]
)

// Upcoming features that Swift 7 will enable; the same list in every manifest.
let swiftSeven: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // `any` marks dynamic dispatch
  .enableUpcomingFeature("InternalImportsByDefault"),  // `public import` only for modules in the public API
  .enableUpcomingFeature("MemberImportVisibility"),  // each file imports what it uses
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async functions run on the caller's actor
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatWarning("ExplicitSendable", as: .error),  // every public type states whether it is Sendable
]
for target in package.targets { target.swiftSettings = (target.swiftSettings ?? []) + swiftSeven }

// System libraries accept no Swift settings, so add this after the loop.
package.targets += [
  .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])])
]
