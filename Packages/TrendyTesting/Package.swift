// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendyTesting",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "TrendyTesting", targets: ["TrendyTesting"])],
  dependencies: [
    .package(path: "../TrendyModels"), .package(path: "../TrendyPersistence"), .package(path: "../TrendyProtocols"),
  ],
  targets: [
    .target(
      name: "TrendyTesting",
      dependencies: [
        .product(name: "StorageTesting", package: "TrendyPersistence"), "TrendyModels", "TrendyPersistence",
        "TrendyProtocols",
      ], exclude: ["Rules/cases.json"]),
    .testTarget(
      name: "TrendyTestingTests",
      dependencies: ["TrendyModels", "TrendyPersistence", "TrendyProtocols", "TrendyTesting"]),
  ]
)

// Same in every manifest: upcoming features that Swift 7 will enable.
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
