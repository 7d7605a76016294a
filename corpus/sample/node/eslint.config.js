export default [
  {
    files: ["**/*.js"],
    rules: {
      "no-var": "error", "no-undef": "error", "no-unused-vars": "error", "no-cond-assign": "error", "no-empty": "error",
      eqeqeq: "error", "prefer-const": "warn", "prefer-template": "warn", semi: "warn", "max-len": ["warn", { code: 100 }],
      "no-magic-numbers": ["warn", { ignore: [0, 1] }],
    },
  },
];
